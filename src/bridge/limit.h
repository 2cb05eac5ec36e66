/* How often something may happen: so often in a row, and then ever so often. Plain arithmetic. */
#pragma once

#include <stdint.h>

/* Times in milliseconds. */
struct limit {
    int64_t gap;    /* between two, at least */
    int burst;      /* so many in a row, */
    int64_t refill; /* and then one each time that this is over */
    /* State; all 0 at first. */
    int used;
    int64_t last, refilled;
};

/* 1 when one more may happen NOW, which counts then. */
int limit_take(struct limit *self, int64_t now);
