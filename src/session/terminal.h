/* The user's terminal: raw mode, showing a session's output, and undoing what that has changed.
 * libc only. */
#pragma once

#include <stddef.h>
#include <sys/ioctl.h>

#include "session/terminal_filter.h"

/* Saves the mode of the terminal FD and makes it raw. 0, or -1 with errno. */
int terminal_raw(int fd);
/* Restores the saved mode; does nothing when the terminal is not raw. */
void terminal_restore(void);
/* Makes it raw again after terminal_restore(), for a stop or a question. */
void terminal_resume(void);

/* The size of the terminal FD; 24 x 80 when it is unknown. */
struct winsize terminal_size(int fd);

/*
 * A terminal that shows what a session prints, through a filter, and that is left as it was. What
 * an ended session's last queries are answered would be typed at the user's shell otherwise: a box
 * could run a command on the host.
 */
struct screen {
    int out; /* the terminal */
    struct terminal_filter filter;
    unsigned long_copies; /* set at the end: texts for the clipboard that were too long */
    int is_stopped;       /* its modes are undone until the session continues */
    int is_writing;       /* perhaps half a sequence has reached the terminal */
};

/* Shows what passes the filter; it may block. 0, or -1 when the terminal is gone. */
int screen_show(struct screen *self, const char *data, size_t length);

/* Gives the terminal the text for its clipboard that the user has granted, if there is one; not in
 * the middle of a string that passes: the next call does. */
void screen_show_copy(struct screen *self);

/* Makes text of the host legible: a box must not hide a question. */
void screen_for_question(struct screen *self);

/* Undoes what is switched while the session is stopped, and switches modes again. */
void screen_stop(struct screen *self);
void screen_continue(struct screen *self);

/*
 * Undoes all that the session has switched. Discards answers from IN, which must be a raw terminal
 * (-1: there is none), and only if there was a query. Waits a second for the next one, and half a
 * minute for all of them.
 */
void screen_end(struct screen *self, int in);

/* Undoes the same when the process that showed the session has been killed (terminal_rescue.h). */
void screen_rescue(struct screen *self);

/* Writes all of DATA to FD, and waits where FD does not block. 0, or -1 with errno. */
int terminal_write(int fd, const char *data, size_t length);
