/* The user's terminal: raw mode, and undoing what a session has changed. libc only. */
#pragma once

#include <stddef.h>
#include <sys/ioctl.h>

/* Saves the mode of the terminal FD and makes it raw. 0, or -1 with errno. */
int terminal_raw(int fd);
/* Restores the saved mode; does nothing when the terminal is not raw. */
void terminal_restore(void);
/* Makes it raw again after terminal_restore(), for a stop or a question. */
void terminal_resume(void);

/* The size of the terminal FD; 24 x 80 when it is unknown. */
struct winsize terminal_size(int fd);

/*
 * Parses a session's output to find what it leaves behind: modes that are still on (alternate
 * screen, mouse, paste, hidden cursor …) and queries to the terminal. The user's shell would read
 * the answers as typed text: a box that ends with ESC [ 21 t or a DECRQSS could run a command on
 * the host.
 */
struct screen {
    unsigned modes; /* that are on: bits by index in the table in terminal.c */
    int asked;      /* the terminal may be going to answer a query */
    int touched;    /* there was an escape sequence: colours and such may be set */
    int number;     /* inside an OSC, before its first ";" */
    unsigned char state, last;
    char parameters[32];
    size_t length;
};
void screen_watch(struct screen *self, const char *data, size_t length);

/* Resets colours and such on OUT before the host asks a question there: a box must not hide its
 * text.
 */
void screen_for_question(const struct screen *self, int out);

/*
 * Turns off on OUT the modes that SELF found on, and discards answers from IN. Waits for these a
 * second at most, and only if there was a query. The terminal must still be raw.
 */
void screen_reset(struct screen *self, int in, int out);
