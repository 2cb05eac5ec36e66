/*
 * Who is at a listener of seccomp(2). The guard's workers share their table of descriptors, so a
 * number that one of them closes may mean another session's listener before a second one, told by
 * epoll of the end of the first, comes to act on it. Therefore epoll tells tickets, a number with
 * its generation; whoever uses a listener is counted; and the last one out closes it.
 *
 * The seats are shared by all processes forked after guard_seat_begin().
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* Numbers of listeners are below; what a box may have open at once is far less. */
#define GUARD_SEATS_MAX 65536

/* 0, or -1 with errno. */
int guard_seat_begin(void);

/*
 * Registers LISTENER, which nobody else knows yet, and counts that as one use. 0 with its ticket,
 * or -1 when its number is too high.
 */
int guard_seat_take(int listener, uint64_t *ticket);

int guard_seat_listener(uint64_t ticket);

/* 1 when its listener is still the one of the ticket: to be used until guard_seat_leave(). */
int guard_seat_enter(uint64_t ticket);
void guard_seat_leave(uint64_t ticket);

/*
 * For one who has entered: 1 when the calling process is now the one that waits in the kernel for
 * calls, until guard_seat_waited(). 0 when another is, or nobody is left to call.
 */
int guard_seat_wait(uint64_t ticket);
void guard_seat_waited(uint64_t ticket);
/* The pid of who waits, or 0. */
pid_t guard_seat_waiter(uint64_t ticket);

/*
 * Nobody is left to call: takes back the use of guard_seat_take(). 1 for the first who says so;
 * that one leaves once nobody waits any more. 0 for all others, who have nothing to do.
 */
int guard_seat_drop(uint64_t ticket);
