/* A token bucket: BURST events in a row, then one each REFILL_MS. Plain arithmetic, libc only. */
#pragma once

#include <stdint.h>

struct token_bucket {
    int64_t gap_ms;    /* at least this long between two events; 0: no such limit */
    int burst;         /* tokens of a full bucket */
    int64_t refill_ms; /* for each token that comes back */
    /* State, all zero at first: */
    int used;               /* tokens that are missing */
    int64_t last, refilled; /* times of the last event, and of the last token that came back */
};

/* Takes a token. Returns 1, or 0 when the event must not happen NOW (milliseconds, monotonic). */
static inline int token_bucket_take(struct token_bucket *self, int64_t now)
{
    if (!self->used)
        self->refilled = now;
    int64_t back = (now - self->refilled) / self->refill_ms;
    self->refilled += back * self->refill_ms;
    self->used = back < self->used ? self->used - (int)back : 0;
    if ((self->last && now < self->last + self->gap_ms) || self->used >= self->burst)
        return 0;
    if (!self->used)
        self->refilled = now;
    self->used++;
    self->last = now;
    return 1;
}
