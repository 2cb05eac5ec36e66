/*
 * The guard's processes that answer held calls.
 *
 * A worker waits in the kernel for the calls of one listener: caller and worker then take turns on
 * one processor, and no other system call is needed. All that wait at one listener are woken by
 * each call, so there is one of them, unless many call at once. While a worker has a call in hand
 * nobody waits; a call that takes long (a FIFO, a slow file system, one that is served by a process
 * in the box, whose own calls are held too) must not hold up the others, so the leader looks again
 * and again while there are calls, and adds or takes away workers (guard_workers_balance()).
 *
 * Leader and workers share their table of descriptors, and the memory of what stands here. Rights,
 * umask and working folder are each process's own: hence no threads. The leader alone starts
 * workers, each on a stack as deep as the last one's. When one dies all end: a call that nobody
 * answers would hang for ever.
 */
#pragma once

#include <stdatomic.h>

#include "guest/guard/request.h"

/* Numbers of listeners are below; what a box may have open at once is far less. */
#define GUARD_LISTENERS_MAX 65536

/* The calls of one session and its descendants, by the number of its listener. */
struct guard_listener {
    atomic_int attending; /* workers that may use it */
    atomic_int waiting;   /* those of them that wait for the next call */
    atomic_uint calls;    /* so far */
    atomic_int surplus;   /* 1: the next worker that has answered a call is to leave */
    atomic_int has_ended; /* nobody is left who could call */

    /* The leader's. */
    int has_begun;                        /* there was a call */
    unsigned seen;                        /* calls */
    int busy_for, short_for, surplus_for; /* looks in a row (workers.c) */
    int next;                             /* listener, or -1 */
};

/*
 * In the leader, before the first worker. COMMON is what each worker's requests begin with. Returns
 * an eventfd(2) that tells a leader that sleeps of the first call, or -1 with errno.
 */
int guard_workers_begin(const struct guard_request *common);
/* What the leader knows of the listener FD, below GUARD_LISTENERS_MAX. */
struct guard_listener *guard_workers_listener(int fd);
/* In the leader: one more worker for the listener FD, if one can be started. */
void guard_workers_attend(int fd);
/* In the leader, of each listener again and again: 1 when there were calls since the last look, or
 * nobody waits for the next one. */
int guard_workers_balance(int fd);
/* In the leader: whether it sleeps, and is to be told of the first call. */
void guard_workers_leader_sleeps(int sleeps);
/* Calls off those who wait at FD, which has ended; to be repeated while somebody attends. */
void guard_workers_call_off(int fd);
/* After the end of the worker PID. */
void guard_workers_ended(pid_t pid);
