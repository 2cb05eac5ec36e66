/* Opening what may take its time: a FIFO waits for its other end. */
#pragma once

#include "guest/guard/request.h"

/* How long it takes to notice that the caller was killed, or has a signal to handle. */
#define FIFO_SLICE_MS 50

/* As openat(2); ITSELF: NAME must be no link (ELOOP). */
int guard_open_now(int itself, int folder, const char *name, int flags, mode_t mode);
/* 0 and a descriptor in *FD, or an errno; EINTR when the caller is not waiting any more. */
int guard_open_patiently(struct guard_request *request, int itself, int folder, const char *name,
                         int flags, int *fd);
