/* Questions on the user's terminal. */
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

/*
 * Prints QUESTION (already safe) on /dev/tty and reads a line without echo into BUFFER, the
 * caller's (for secrets: locked memory): at most SIZE bytes, without the line end and without a
 * NUL. Returns how many; -1 with errno: ENOTTY without a terminal to ask on, EMSGSIZE for a longer
 * line, ENODATA for an end of file. A signal that ends or stops the program does so once the
 * terminal is as it was; after a stop the question is asked anew.
 */
gssize ask_hidden(const char *question, char *buffer, gsize size);
