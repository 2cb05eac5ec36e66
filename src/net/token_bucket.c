#include "net/token_bucket.h"

int token_bucket_take(struct token_bucket *self, int64_t now)
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
