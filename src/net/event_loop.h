/*
 * The event loop of a process: descriptors and timers (epoll(7)). libc only.
 *
 * There is one loop in a process, used by one thread. Signals and children come as descriptors, by
 * signalfd(2) and pidfd_open(2). A callback may change, stop and free any watch and any timer, its
 * own included: what has happened to a watch that is stopped or closed is not reported any more.
 */
#pragma once

#include <stdint.h>
#include <sys/epoll.h>

/* A descriptor to wait for. The owner sets FD, READY and OWNER; the rest is 0 at first. Stop or
 * close it before you free it. */
struct event_watch {
    int fd; /* -1: none */
    /* EVENTS: EPOLLIN, EPOLLOUT, EPOLLERR, EPOLLHUP (epoll_ctl(2)), level-triggered. */
    void (*ready)(struct event_watch *self, uint32_t events);
    void *owner;     /* for READY */
    uint32_t wanted; /* of the loop */
};

/*
 * Waits for EVENTS (EPOLLIN, EPOLLOUT) from now on, and for errors; 0: for nothing, not even for
 * errors. Returns 0, or -1 with errno: EPERM for a file that is always ready, such as a regular
 * one. Does nothing for a watch without a descriptor.
 */
int event_watch_set(struct event_watch *self, uint32_t events);
/* Waits for nothing and closes the descriptor, which becomes -1. */
void event_watch_close(struct event_watch *self);

/* Something to do later, once. The owner sets EXPIRED and OWNER; the rest is 0 at first. Stop it
 * before you free it. */
struct event_timer {
    void (*expired)(struct event_timer *self);
    void *owner; /* for EXPIRED */
    int64_t due; /* of the loop: on the clock of sys/clock.h; 0: not set */
    struct event_timer *next, **at;
};

/* Calls EXPIRED after MS milliseconds (at least 1), in place of a time that was set before. */
void event_timer_set(struct event_timer *self, int64_t ms);
void event_timer_stop(struct event_timer *self);

/*
 * Calls PREPARE before each wait. It does what is due NOW, and returns after how many milliseconds
 * it must be called again at the latest; -1: only after the next event. There is one.
 */
void event_loop_prepare(int (*prepare)(int64_t now));

/* Runs until event_loop_quit() is called, which may have happened before. Can be called again. */
void event_loop_run(void);
void event_loop_quit(void);

/* For a child that goes on without exec, before it closes descriptors: it forgets what its parent
 * waits for. */
void event_loop_reset(void);
