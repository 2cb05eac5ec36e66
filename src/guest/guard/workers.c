#include "guest/guard/workers.h"

#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest/guard/notification.h"
#include "guest/guard/procfs.h"
#include "guest/guard/rights.h"
#include "guest/guard/shared_memory.h"

/* More calls in hand at a time than a box has threads that wait for something. */
#define WORKERS_MAX 1024
/* So many stay when they have no listener. */
#define PARKED_MAX 4
/* Looks in a row until the number of workers is changed: while calls wait, while all workers are
 * busy (then the leader can sleep), while more than one has nothing to do. */
#define SHORT_LOOKS 2
#define BUSY_LOOKS 20
#define SURPLUS_LOOKS 8
/* Of a worker's listener. */
#define PARKED (-1)
#define LEAVES (-2)

struct worker {
    pid_t pid; /* 0: none */
    atomic_int listener;
};

static struct {
    pthread_mutex_t lock; /* of the workers */
    struct worker workers[WORKERS_MAX];
    int parked_count;
    atomic_int leader_sleeps;
    struct guard_listener listeners[GUARD_LISTENERS_MAX];
} * shared;
static int wake_up; /* an eventfd */
static struct guard_request request;

int guard_workers_begin(const struct guard_request *common)
{
    request = *common;
    shared = shared_memory_new(sizeof *shared);
    if (!shared)
        return -1;
    shared_memory_lock_init(&shared->lock);
    wake_up = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return wake_up;
}

struct guard_listener *guard_workers_listener(int fd)
{
    return &shared->listeners[fd];
}

/* Lets a parked worker attend FD. 0, or -1 when there is none. */
static int wake(int fd)
{
    int found = -1;
    pthread_mutex_lock(&shared->lock);
    for (int i = 0; shared->parked_count && found < 0 && i < WORKERS_MAX; i++) {
        struct worker *worker = &shared->workers[i];
        if (!worker->pid || atomic_load(&worker->listener) != PARKED)
            continue;
        found = i;
        shared->parked_count--;
        atomic_fetch_add(&shared->listeners[fd].attending, 1);
        atomic_store(&worker->listener, fd);
        syscall(SYS_futex, &worker->listener, FUTEX_WAKE, 1, NULL, NULL, 0);
    }
    pthread_mutex_unlock(&shared->lock);
    return found < 0 ? -1 : 0;
}

/* Answers calls for as long as there are not enough others who do. */
static void answer_calls(int fd)
{
    struct guard_listener *listener = &shared->listeners[fd];
    union guard_notification held;
    while (!atomic_load(&listener->has_ended)) {
        if (atomic_load(&listener->surplus) && atomic_exchange(&listener->surplus, 0))
            return;
        atomic_fetch_add(&listener->waiting, 1);
        int received = guard_notification_receive(fd, &held);
        atomic_fetch_sub(&listener->waiting, 1);
        if (received < 0)
            continue;
        atomic_fetch_add(&listener->calls, 1);
        if (atomic_load(&shared->leader_sleeps) && atomic_exchange(&shared->leader_sleeps, 0))
            eventfd_write(wake_up, 1);
        guard_notification_answer(&request, fd, &held.notice);
    }
}

void guard_workers_leader_sleeps(int sleeps)
{
    atomic_store(&shared->leader_sleeps, sleeps);
}

static int has_calls_in_queue(int fd)
{
    struct pollfd poll_listener = {.fd = fd, .events = POLLIN};
    return poll(&poll_listener, 1, 0) > 0 && (poll_listener.revents & POLLIN);
}

int guard_workers_balance(int fd)
{
    struct guard_listener *self = &shared->listeners[fd];
    unsigned calls = atomic_load(&self->calls);
    int waiting = atomic_load(&self->waiting), nobody = !waiting && self->has_begun;
    int is_active = calls != self->seen || nobody;
    self->seen = calls;
    self->busy_for = nobody ? self->busy_for + 1 : 0;
    self->short_for = nobody && has_calls_in_queue(fd) ? self->short_for + 1 : 0;
    self->surplus_for = waiting > 1 ? self->surplus_for + 1 : 0;
    if (self->short_for >= SHORT_LOOKS || self->busy_for >= BUSY_LOOKS) {
        self->short_for = self->busy_for = 0;
        guard_workers_attend(fd);
    } else if (self->surplus_for >= SURPLUS_LOOKS) {
        self->surplus_for = 0;
        atomic_store(&self->surplus, 1);
    }
    return is_active;
}

/* Waits for another listener, which it returns, or LEAVES when there are enough who do. */
static int park(struct worker *self)
{
    int fd;
    pthread_mutex_lock(&shared->lock);
    struct guard_listener *old = &shared->listeners[self->listener];
    int stays = shared->parked_count < PARKED_MAX;
    shared->parked_count += stays;
    atomic_store(&self->listener, stays ? PARKED : LEAVES);
    atomic_fetch_sub(&old->attending, 1); /* now the leader may close it */
    pthread_mutex_unlock(&shared->lock);
    while ((fd = atomic_load(&self->listener)) == PARKED)
        syscall(SYS_futex, &self->listener, FUTEX_WAIT, PARKED, NULL, NULL, 0);
    return fd;
}

static void work(struct worker *self)
{
    int fd = self->listener;
    if (guard_procfs_begin() < 0 || guard_rights_look(request.kind) < 0)
        _exit(1);
    do {
        answer_calls(fd);
        if (chdir("/") < 0) /* keeps no folder of a session */
            _exit(1);
        fd = park(self);
    } while (fd != LEAVES);
    close(guard_procfs_own()); /* the table of descriptors outlives this process */
    _exit(0);
}

static struct worker *free_worker(void)
{
    for (int i = 0; i < WORKERS_MAX; i++) {
        if (!shared->workers[i].pid)
            return &shared->workers[i];
    }
    return NULL;
}

void guard_workers_attend(int fd)
{
    struct worker *self = wake(fd) == 0 ? NULL : free_worker();
    if (!self)
        return;
    atomic_store(&self->listener, fd);
    atomic_fetch_add(&shared->listeners[fd].attending, 1);
    pid_t pid = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0)
        work(self);
    if (pid < 0)
        atomic_fetch_sub(&shared->listeners[fd].attending, 1);
    else
        self->pid = pid;
}

void guard_workers_call_off(int fd)
{
    for (int i = 0; i < WORKERS_MAX; i++) {
        struct worker *worker = &shared->workers[i];
        if (worker->pid && atomic_load(&worker->listener) == fd)
            kill(worker->pid, SIGUSR1);
    }
}

void guard_workers_ended(pid_t pid)
{
    for (int i = 0; i < WORKERS_MAX; i++) {
        if (shared->workers[i].pid == pid)
            shared->workers[i].pid = 0;
    }
}
