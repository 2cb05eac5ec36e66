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
int token_bucket_take(struct token_bucket *self, int64_t now);
