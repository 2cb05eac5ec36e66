/* Escapes hostile text for logs. libc only; common/text.h does more for programs with GLib. */
#pragma once

#include <stddef.h>

/*
 * Copies LENGTH bytes of TEXT to OUT, which has ROOM bytes, and ends them with a NUL. Control
 * characters (C0, DEL, and C1 in UTF-8 or as single bytes outside of UTF-8 sequences) are written
 * as \xHH, so that a log neither changes the terminal it is shown on nor gets a forged second line.
 * Stops where OUT is full. Returns the length of what it wrote.
 */
size_t log_text_escape(char *out, size_t room, const char *text, size_t length);
