#include "bridge/limit.h"

int limit_take(struct limit *self, int64_t now)
{
    if (!self->used)
        self->refilled = now;
    int64_t back = (now - self->refilled) / self->refill;
    self->refilled += back * self->refill;
    self->used = back < self->used ? self->used - (int)back : 0;
    if ((self->last && now < self->last + self->gap) || self->used >= self->burst)
        return 0;
    if (!self->used)
        self->refilled = now;
    self->used++;
    self->last = now;
    return 1;
}
