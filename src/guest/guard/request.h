/* Reads a held call (seccomp_unotify(2)). */
#pragma once

#include <linux/seccomp.h>

#include "guest/guard/held_call.h"

/*
 * Fills SELF from NOTICE. 0, or the errno that the call gets: then there is nothing to release.
 * Needs the right to look into processes (guest/guard/rights.h).
 */
int guard_request_read(struct guard_request *self, const struct seccomp_notif *notice);
void guard_request_release(struct guard_request *self);

/* 1 while the caller still waits for its answer. */
int guard_request_waits(const struct guard_request *self);

/*
 * fetch.c: the caller's descriptor FD itself, as dup(2) would give it; -1 with errno. Before Linux
 * 6.9 there is no pidfd of a thread that is not its process's first; then it is opened anew,
 * O_PATH. A socket cannot be: then it is that of its process, whose threads have the same ones.
 */
int guard_fetch(struct guard_request *request, int fd);
/* Closes what is kept of the last caller: before a worker ends, whose descriptors are all its
 * siblings' too. */
void guard_fetch_forget(void);

/* fifo_open.c: an end to calls of the guard's own that may take their time. */

/* How long it takes to notice that the caller was killed, or has a signal to handle. */
#define FIFO_SLICE_MS 50

/* Interrupts this process's calls again and again; 0: no more. 0, or -1 with errno. */
int guard_interrupt_every(int interval_ms);
