/* How long a race goes on. */
#pragma once
#include <stdint.h>
#include <time.h>

#define RACE_LIMIT_MS 30000 /* when one side of a race does not come through */
#define RACE_SIDE_MIN 10

static inline int64_t race_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

/* A race in which one side never comes through is none. */
static inline int race_both_sides_ran(long tries, long done)
{
    return done > RACE_SIDE_MIN && tries - done > RACE_SIDE_MIN;
}

/* After TRIES, DONE of them on one side: at least MS since START, and on a busy machine longer,
 * until both sides have come through. */
static inline int race_goes_on(int64_t start, int ms, long tries, long done)
{
    int64_t passed = race_now() - start;
    return passed < ms || (!race_both_sides_ran(tries, done) && passed < RACE_LIMIT_MS);
}
