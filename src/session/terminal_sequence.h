/*
 * Which escape and control sequences of a box reach the user's terminal, and what each leaves
 * switched. libc only.
 *
 * Everything that is not listed is dropped. So are, by intent:
 *  - what answers with text that the box chose, or with what the screen shows (titles: CSI 21 t,
 *    checksums: CSI * y),
 *  - what prints or writes files (CSI i, CSI ? 46 h), moves or resizes the window (CSI t),
 *  - what lets the terminal read another language: VT52, Tektronix, other encodings than UTF-8
 *    (ESC %), control characters of 8 bits (ESC SP G), macros (CSI * z).
 *
 * Source: ECMA-48; xterm's "Control Sequences" (ctlseqs).
 */
#pragma once

#include "session/terminal_marks.h"

/* What a box's output may do besides; 0: nothing of it. */
enum {
    TERMINAL_CLIPBOARD = 1 << 0,     /* replace the clipboard; it never reads it */
    TERMINAL_TITLES = 1 << 1,        /* set the window's title */
    TERMINAL_NOTIFICATIONS = 1 << 2, /* show notifications of the terminal */
    TERMINAL_LINKS = 1 << 3,         /* links to http, https and mailto */
    TERMINAL_IMAGES = 1 << 4,        /* images whose data is in the output */
    TERMINAL_ALL = (1 << 5) - 1,
    TERMINAL_8BIT = 1 << 5,          /* the terminal's characters are of one byte: no UTF-8 */
    TERMINAL_ASK_CLIPBOARD = 1 << 6, /* replace the clipboard (OSC 52 alone) after a yes */
};

/* Longest sequence that is understood. xterm's own limit is 30 parameters. */
#define TERMINAL_SEQUENCE_MAX 512

/*
 * TEXT is a control sequence without its introducer (ESC [): parameters, intermediates, final
 * byte. Returns the length that may be passed on, 0: none. Parameters that switch what may not be
 * switched are removed from TEXT. TEXT has room for TERMINAL_SEQUENCE_MAX bytes.
 */
size_t terminal_control(struct terminal_marks *marks, unsigned allowed, char *text, size_t length);

/* TEXT is an escape sequence without ESC: intermediates and final byte. 1 when it may pass. */
int terminal_escape(struct terminal_marks *marks, const char *text, size_t length);
