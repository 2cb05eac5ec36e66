#include "net/event_loop.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "sys/clock.h"

/* Most events of one epoll_wait(2); the next call returns the others. */
#define EVENTS_MAX 64
/* How long the loop waits when it cannot wait for events, for lack of memory. */
#define RETRY_NS 100000000

static int poller = -1; /* the epoll descriptor, made when it is first needed */
static struct epoll_event events[EVENTS_MAX];
static int n_events; /* of this turn */
static struct event_timer *timers;
static int (*prepare_turn)(int64_t now);
static int is_over;

static int open_poller(void)
{
    if (poller < 0)
        poller = epoll_create1(EPOLL_CLOEXEC);
    return poller;
}

/* The owner may free a watch that wants nothing. */
static void drop_events(const struct event_watch *self)
{
    for (int i = 0; i < n_events; i++) {
        if (events[i].data.ptr == self)
            events[i].data.ptr = NULL;
    }
}

/* A watch that wants nothing leaves the set: epoll reports errors whether asked for or not. */
int event_watch_set(struct event_watch *self, uint32_t wanted)
{
    struct epoll_event event = {.events = wanted, .data.ptr = self};
    if (self->fd < 0 || self->wanted == wanted)
        return 0;
    int operation = !wanted ? EPOLL_CTL_DEL : self->wanted ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    if (open_poller() < 0 || epoll_ctl(poller, operation, self->fd, &event) < 0)
        return -1;
    self->wanted = wanted;
    if (!wanted)
        drop_events(self);
    return 0;
}

void event_watch_close(struct event_watch *self)
{
    if (self->fd < 0)
        return;
    /* close(2) alone does not remove a descriptor that another process has, too. */
    event_watch_set(self, 0);
    close(self->fd);
    self->fd = -1;
}

void event_timer_set(struct event_timer *self, int64_t ms)
{
    event_timer_stop(self);
    self->due = clock_ms() + (ms > 0 ? ms : 1);
    self->next = timers;
    self->at = &timers;
    if (timers)
        timers->at = &self->next;
    timers = self;
}

void event_timer_stop(struct event_timer *self)
{
    if (!self->due)
        return;
    *self->at = self->next;
    if (self->next)
        self->next->at = self->at;
    self->due = 0;
}

static struct event_timer *next_timer(void)
{
    struct event_timer *next = timers;
    for (struct event_timer *each = timers; each; each = each->next) {
        if (each->due < next->due)
            next = each;
    }
    return next;
}

void event_loop_prepare(int (*prepare)(int64_t now))
{
    prepare_turn = prepare;
}

/* Does what is due. Returns the milliseconds until something else will be; -1: nothing is set. */
static int run_timers(void)
{
    int64_t now = clock_ms(), left = -1;
    struct event_timer *timer;
    while (!is_over && (timer = next_timer()) && timer->due <= now) {
        event_timer_stop(timer);
        timer->expired(timer);
    }
    int prepared = !is_over && prepare_turn ? prepare_turn(now) : -1;
    if ((timer = next_timer())) {
        now = clock_ms();
        left = timer->due > now ? timer->due - now : 0;
    }
    if (left < 0 || (prepared >= 0 && prepared < left))
        left = prepared;
    return left > INT_MAX ? INT_MAX : (int)left;
}

static void run_events(void)
{
    for (int i = 0; i < n_events && !is_over; i++) {
        struct event_watch *watch = events[i].data.ptr;
        if (watch)
            watch->ready(watch, events[i].events);
    }
    n_events = 0;
}

void event_loop_run(void)
{
    while (!is_over) {
        int timeout = run_timers();
        if (is_over)
            break;
        n_events = epoll_wait(open_poller(), events, EVENTS_MAX, timeout);
        if (n_events < 0) {
            n_events = 0;
            if (errno != EINTR)
                nanosleep(&(struct timespec){.tv_nsec = RETRY_NS}, NULL);
        }
        run_events();
    }
    is_over = 0;
}

void event_loop_quit(void)
{
    is_over = 1;
}

void event_loop_reset(void)
{
    if (poller >= 0)
        close(poller);
    poller = -1;
    n_events = 0;
    timers = NULL;
    prepare_turn = NULL;
    is_over = 0;
}
