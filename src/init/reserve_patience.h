/* Opening what may take its time: a FIFO waits for its other end. */
#pragma once

#include "init/reserve_request.h"

/* How long it takes to notice that the caller was killed, or has a signal to handle. */
#define FIFO_SLICE_MS 50

/* As openat(2); ITSELF: NAME must be no link (ELOOP). */
int reserve_open_now(int itself, int folder, const char *name, int flags, mode_t mode);
/* 0 and a descriptor in *FD, or an errno; EINTR when the caller is not waiting any more. */
int reserve_open_patiently(struct reserve_request *request, int itself, int folder,
                           const char *name, int flags, int *fd);
