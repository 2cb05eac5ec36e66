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

/* fifo_open.c: an end to calls of the guard's own that may take their time. */

/* How long it takes to notice that the caller was killed, or has a signal to handle. */
#define FIFO_SLICE_MS 50

/* Interrupts this process's calls again and again; 0: no more. 0, or -1 with errno. */
int guard_interrupt_every(int interval_ms);
