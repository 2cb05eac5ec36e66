/* Finds the text in a box's output that passes as it is, fast: most of it does. libc only. */
#pragma once

#include <stddef.h>

/* Enquiry: the terminal answers with a text. Shift out: another alphabet. Cancel and substitute
 * end a sequence. */
enum { ENQ = 5, BEL = 7, SHIFT_OUT = 14, CAN = 24, SUB = 26, ESC = 27, DEL = 127 };

/*
 * How many bytes at FROM are text: ASCII without ESC, ENQ and SHIFT_OUT, and valid characters of
 * UTF-8 (IS_8BIT: single bytes) that are no controls. Less than there is when a character is not
 * complete.
 */
size_t terminal_clean_length(const unsigned char *from, const unsigned char *end, int is_8bit);

/*
 * The length of the style (SGR: colours and the like) that begins at AT, ESC, "[" and "m" included,
 * which passes as it is; 0: another sequence, not all of it, or one that is long. Here as nothing
 * is more frequent.
 */
size_t terminal_style_length(const unsigned char *at, const unsigned char *end);
