/*
 * The guard's first thread: takes listeners from sessions, and lets workers (guest/guard/workers.c)
 * answer their calls.
 */
#pragma once

#include <stdatomic.h>

#include "guest/common/privileges.h"
#include "guest/guard/request.h"

/* Serves until PID 1's end of FROM_SESSIONS is gone. */
void guard_serve(const struct init_options *options, enum guard_kind kind, int from_sessions);

/* notification.c: a held call as seccomp_unotify(2) has it: received, done, and answered. */

/* Kernels may make the structure larger; they say by how much, and this is far beyond. */
union guard_notification {
    struct seccomp_notif notice;
    char room[512];
};

/* Once for each listener. */
void guard_notification_prepare(int listener);
/*
 * Waits for the next call. 0; -1 with errno: EINTR after a signal, ENOENT when its caller was
 * killed or nobody is left who could call.
 */
int guard_notification_receive(int listener, union guard_notification *held);
/* Does the call and answers it. REQUEST has what stays the same for all calls of this worker. */
void guard_notification_answer(struct guard_request *request, int listener,
                               const struct seccomp_notif *notice);

/*
 * workers.c: the guard's processes that answer held calls.
 *
 * A worker waits in the kernel for the calls of one listener: caller and worker then take turns on
 * one processor, and no other system call is needed. All that wait at one listener are woken by
 * each call, so there is one of them, unless many call at once. A call that takes long (a FIFO, a
 * slow file system, one that is served by a process in the box, whose own calls are held too) must
 * not hold up the others, so the leader looks again and again while there are calls, and adds or
 * takes away workers (guard_workers_balance()).
 *
 * When a caller gets a descriptor the kernel wakes it on an idle processor, if there is one, and to
 * wake that takes longer than all the rest of the call. A processor on which nothing but SCHED_IDLE
 * tasks run counts as idle (sched(7)). So the first worker of a listener is such a task, and stays
 * on its caller's processor: there the caller goes on. Where others compute, it would wait for
 * them. When it falls behind, ordinary workers take its place for a time.
 *
 * Leader and workers share their table of descriptors, and the memory of what stands here. Rights,
 * umask and working folder are each process's own: hence no threads. The leader alone starts
 * workers, each on a stack as deep as the last one's. When one dies all end: a call that nobody
 * answers would hang for ever.
 */

/* Numbers of listeners are below; what a box may have open at once is far less. */
#define GUARD_LISTENERS_MAX 65536

enum guard_policy { GUARD_SCHED_OTHER, GUARD_SCHED_IDLE, GUARD_POLICIES };

/* The calls of one session and its descendants, by the number of its listener. */
struct guard_listener {
    atomic_int policy;    /* of the workers that are to attend it: enum guard_policy */
    atomic_int attending; /* workers that may use it */
    atomic_int waiting;   /* those of them that wait for the next call */
    atomic_uint calls;    /* so far */
    atomic_int surplus;   /* 1: the next worker that has answered a call is to leave */
    atomic_int has_ended; /* nobody is left who could call */

    /* The leader's. */
    unsigned seen;                          /* calls */
    int short_for, behind_for, surplus_for; /* looks in a row (workers.c) */
    int other_for;                          /* looks until GUARD_SCHED_IDLE is tried again */
    int is_looked_at, quiet_for;            /* serve.c */
    int next;                               /* listener, or -1 */
};

/* In the leader, before the first worker. COMMON is what each worker's requests begin with. 0, or
 * -1 with errno. */
int guard_workers_begin(const struct guard_request *common);
/* What the leader knows of the listener FD, below GUARD_LISTENERS_MAX. */
struct guard_listener *guard_workers_listener(int fd);
/* In the leader: the listener FD is new, and has no workers. */
void guard_workers_expect(int fd);
/* In the leader: there are calls at FD, which has workers from now on. */
void guard_workers_begin_with(int fd);
/* In the leader, of each listener again and again while there are calls: 1 when there were some
 * since the last look. */
int guard_workers_balance(int fd);
/* There are no calls at FD for now: its workers may run anywhere, where the next one will come. */
void guard_workers_rest(int fd);
/* Calls off those who wait at FD, which has ended; to be repeated while somebody attends. */
void guard_workers_call_off(int fd);
/* After the end of the worker PID. */
void guard_workers_ended(pid_t pid);
