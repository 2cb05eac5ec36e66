/* Opening what may take its time: a FIFO waits for its other end, a lease for its owner. */
#pragma once

#include "guest/guard/request.h"

/* How long it takes to notice that the caller was killed, or has a signal to handle. */
#define FIFO_SLICE_MS 50

/*
 * What the kernel's own calls answer when a signal comes: it handles the signal, then starts the
 * call again or makes EINTR of it, as the handler wants (signal(7)). It must not be given to a
 * caller for whom no signal is pending, who would see this number.
 */
#define GUARD_RESTART 512

/* As openat(2); ITSELF: NAME must be no link (ELOOP). */
int guard_open_now(int itself, int folder, const char *name, int flags, mode_t mode);
/*
 * 0 and a descriptor in *FD, or an errno; when the caller waits no longer, or has a signal to
 * handle, what guard_interruption() says.
 */
int guard_fifo_open(struct guard_request *request, int itself, int folder, const char *name,
                    int flags, int *fd);
/* 0 while the caller goes on to wait; else GUARD_RESTART, EINTR, or ESRCH when it is gone. */
int guard_interruption(struct guard_request *request);
