/* The time, for what has to wait or to end. libc only. */
#pragma once

#include <stdint.h>
#include <time.h>

/* Milliseconds of a clock that nobody sets. */
static inline int64_t clock_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
