/* Questions on the user's terminal, /dev/tty: a piped stdin is neither an answer nor read. */
#pragma once

#include <glib.h>

/* TRUE when there is a terminal and this process is in its foreground process group. */
gboolean ask_can(void);

/*
 * Prints QUESTION (safe text) and reads a line: TRUE only for "y" and "yes". FALSE also without a
 * terminal. Where the caller blocks SIGINT, SIGTERM or SIGHUP to pass them on, or has a handler,
 * one of them counts as a no: a SIGINT is consumed, the others stay pending, or reach the handler.
 */
gboolean ask_yes(const char *question);

/* Like ask_yes(), for an answer of one letter; QUESTION says which. In lower case; 0: there is no
 * answer; any other character: it was no letter alone. */
char ask_letter(const char *question);

/*
 * Prints QUESTION (safe text) and reads a line without echo into BUFFER, the caller's (for secrets:
 * locked memory): at most SIZE bytes, without the line end and without a NUL. Returns the length;
 * -1 with errno: ENOTTY without a terminal, EMSGSIZE for a longer line, ENODATA for an end of file.
 * A signal that ends or stops the process does so after the terminal's settings are restored; after
 * a stop the question is asked again.
 */
gssize ask_hidden(const char *question, char *buffer, gsize size);
