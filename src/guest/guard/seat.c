#include "guest/guard/seat.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

/* A seat's state: generation, whether it was dropped, and the number of uses, in one word. */
#define GENERATION 32
#define DROPPED (UINT64_C(1) << 31)
#define USES (DROPPED - 1)

static struct seat {
    _Atomic uint64_t state;
    atomic_int waiter;
} * seats;

static uint64_t generation(uint64_t word)
{
    return word >> GENERATION;
}

static struct seat *seat_of(uint64_t ticket)
{
    return &seats[guard_seat_listener(ticket)];
}

int guard_seat_begin(void)
{
    seats = mmap(NULL, GUARD_SEATS_MAX * sizeof *seats, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return seats == MAP_FAILED ? -1 : 0;
}

int guard_seat_take(int listener, uint64_t *ticket)
{
    if (listener >= GUARD_SEATS_MAX)
        return -1;
    uint64_t state = atomic_load(&seats[listener].state);
    *ticket = generation(state) << GENERATION | (uint64_t)listener;
    atomic_store(&seats[listener].state, state + 1);
    return 0;
}

int guard_seat_listener(uint64_t ticket)
{
    return (int)(uint32_t)ticket;
}

int guard_seat_enter(uint64_t ticket)
{
    struct seat *seat = seat_of(ticket);
    uint64_t state = atomic_load(&seat->state);
    do {
        if (generation(state) != generation(ticket) || (state & USES) == 0)
            return 0;
    } while (!atomic_compare_exchange_weak(&seat->state, &state, state + 1));
    return 1;
}

void guard_seat_leave(uint64_t ticket)
{
    struct seat *seat = seat_of(ticket);
    uint64_t state = atomic_load(&seat->state), next;
    do {
        next = (state & USES) > 1 ? state - 1 : (generation(state) + 1) << GENERATION;
    } while (!atomic_compare_exchange_weak(&seat->state, &state, next));
    /* Only now may the number mean another. */
    if ((next & USES) == 0)
        close(guard_seat_listener(ticket));
}

int guard_seat_wait(uint64_t ticket)
{
    struct seat *seat = seat_of(ticket);
    int nobody = 0;
    if (!atomic_compare_exchange_strong(&seat->waiter, &nobody, getpid()))
        return 0;
    /* After that: who drops looks for a waiter after it has said so. */
    if (!(atomic_load(&seat->state) & DROPPED))
        return 1;
    guard_seat_waited(ticket);
    return 0;
}

void guard_seat_waited(uint64_t ticket)
{
    atomic_store(&seat_of(ticket)->waiter, 0);
}

pid_t guard_seat_waiter(uint64_t ticket)
{
    return atomic_load(&seat_of(ticket)->waiter);
}

int guard_seat_drop(uint64_t ticket)
{
    struct seat *seat = seat_of(ticket);
    uint64_t state = atomic_load(&seat->state);
    do {
        if (generation(state) != generation(ticket) || (state & DROPPED) || (state & USES) == 0)
            return 0;
    } while (!atomic_compare_exchange_weak(&seat->state, &state, state | DROPPED));
    return 1;
}
