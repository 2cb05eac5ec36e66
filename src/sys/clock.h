/* Monotonic time. libc only. */
#pragma once

#include <stdint.h>
#include <time.h>

/* Milliseconds of CLOCK_MONOTONIC, which changes of the system's time do not affect. */
static inline int64_t clock_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
