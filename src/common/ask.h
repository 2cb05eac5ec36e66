/* A yes-or-no question on the user's terminal. */
#pragma once

#include <glib.h>

/* TRUE when there is a terminal to ask on, and we are in its foreground. */
gboolean ask_can(void);

/*
 * Prints QUESTION (already safe, one line) on /dev/tty and reads a line: TRUE only for "y" or
 * "yes". Reads the terminal itself, so that a piped stdin is neither an answer nor eaten.
 * Ctrl-C is a no where SIGINT is blocked.
 */
gboolean ask_yes(const char *question);
