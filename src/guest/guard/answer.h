/*
 * The answers that a held call gets (seccomp_unotify(2)).
 *
 * A descriptor is given in one step with the answer where that does no harm, as it costs half. The
 * guard then closes its own a moment after the caller has got one, and so long the file counts as
 * open: what a file opened for writing must not be then (executed, locked by flock(2), leased) is
 * held too, and waits (guard_answer_settle()). A file that could be executed without chmod(2), and
 * one whose last close is seen (a FIFO), are given in two steps, between which the guard closes its
 * own.
 */
#pragma once

#include "guest/guard/request.h"

/* Before the first worker. 0, or -1 with errno. */
int guard_answer_begin(void);
/*
 * The call has opened FD, which is closed here. 0, or an errno: the caller cannot take it, as its
 * table of descriptors may be full, and still waits for an answer.
 */
int guard_answer_descriptor(struct guard_request *request, int fd);
/* The call fails with ERROR, or returns 0. */
void guard_answer(struct guard_request *request, int error);
/* The caller makes the call itself. */
void guard_answer_go_on(struct guard_request *request);
/* Returns when no worker holds a file any more that was given before this was called. */
void guard_answer_settle(void);

/* A word to the person at whose terminal a call was refused, where errno says too little. */

/*
 * Writes "box: TEXT" to the caller's standard error, if that is a terminal or a pipe, and never
 * waits for it. TEXT is one line; what a box chose of it is made harmless.
 */
void guard_tell_caller(const struct guard_request *request, const char *text);
