#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest/guard/caller.h"
#include "guest/guard/procfs.h"
#include "guest/guard/rights.h"
#include "guest/guard/serve.h"
#include "guest/guard/shared_memory.h"

/* More calls in hand at a time than a box has threads that wait for something. */
#define WORKERS_MAX 1024
/* So many of a policy stay when they have no listener. */
#define PARKED_MAX 2
/* Looks in a row until the workers are changed: while calls wait and few are answered; while calls
 * wait and no worker does, of either policy; while more than one worker has nothing to do. */
#define BEHIND_LOOKS 2
static const int short_looks[] = {[GUARD_SCHED_OTHER] = 2, [GUARD_SCHED_IDLE] = 10};
#define SURPLUS_LOOKS 8
/* A look finds more answered calls than that, unless somebody waits for a processor. */
#define FEW_CALLS 16
/* Looks for which ordinary workers take the place of one that fell behind: a second. */
#define OTHER_LOOKS 200
/* So often a worker looks where its callers run. */
#define CALLS_A_PROCESSOR 32
/* Of a worker's listener. */
#define PARKED (-1)
#define LEAVES (-2)
/* Of a worker's processor. */
#define ANY (-1)

struct worker {
    pid_t pid; /* 0: none */
    enum guard_policy policy;
    atomic_int listener;
    atomic_int processor; /* where it has to run, or ANY */
};

static struct {
    pthread_mutex_t lock; /* of the workers */
    struct worker workers[WORKERS_MAX];
    int parked_count[GUARD_POLICIES];
    struct guard_listener listeners[GUARD_LISTENERS_MAX];
} * shared;
static struct guard_request current_request;

int guard_workers_begin(const struct guard_request *common)
{
    current_request = *common;
    shared = shared_memory_new(sizeof *shared);
    if (shared)
        shared_memory_lock_init(&shared->lock);
    return shared ? 0 : -1;
}

struct guard_listener *guard_workers_listener(int fd)
{
    return &shared->listeners[fd];
}

void guard_workers_expect(int fd)
{
    struct guard_listener *self = &shared->listeners[fd];
    memset(self, 0, sizeof *self);
    atomic_store(&self->policy, GUARD_SCHED_IDLE);
}

/* Lets SELF run on PROCESSOR alone, or on any. PID is its number, or 0 for this process. */
static void place_on_processor(struct worker *self, pid_t pid, int processor)
{
    cpu_set_t set;
    if (processor == atomic_load(&self->processor) || processor >= CPU_SETSIZE)
        return;
    CPU_ZERO(&set);
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (processor == ANY || i == processor)
            CPU_SET((size_t)i, &set);
    }
    if (sched_setaffinity(pid, sizeof set, &set) == 0)
        atomic_store(&self->processor, processor);
}

static int receive(int fd, union guard_notification *held)
{
    struct guard_listener *listener = &shared->listeners[fd];
    atomic_fetch_add(&listener->waiting, 1);
    int received = guard_notification_receive(fd, held);
    atomic_fetch_sub(&listener->waiting, 1);
    return received;
}

/* Answers calls for as long as there are not enough others who do. */
static void answer_calls(struct worker *self, int fd)
{
    struct guard_listener *listener = &shared->listeners[fd];
    union guard_notification held;
    for (unsigned calls = 1; !atomic_load(&listener->has_ended) &&
                             atomic_load(&listener->policy) == (int)self->policy;) {
        if (atomic_load(&listener->surplus) && atomic_exchange(&listener->surplus, 0))
            return;
        if (receive(fd, &held) < 0)
            continue;
        atomic_fetch_add(&listener->calls, 1);
        if (self->policy == GUARD_SCHED_IDLE && calls++ % CALLS_A_PROCESSOR == 0)
            place_on_processor(self, 0, guard_caller_processor((pid_t)held.notice.pid));
        guard_notification_answer(&current_request, fd, &held.notice);
    }
}

/* Waits for another listener, which it returns, or LEAVES when there are enough who do. */
static int park(struct worker *self)
{
    int fd;
    place_on_processor(self, 0, ANY);
    pthread_mutex_lock(&shared->lock);
    struct guard_listener *old = &shared->listeners[self->listener];
    int stays = shared->parked_count[self->policy] < PARKED_MAX;
    shared->parked_count[self->policy] += stays;
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
    if (guard_procfs_begin() < 0 || guard_rights_look(current_request.kind) < 0)
        _exit(1);
    /* Without it (a profile of the user's may refuse it) all is slower, and as right. */
    if (self->policy == GUARD_SCHED_IDLE)
        sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
    do {
        answer_calls(self, fd);
        fd = park(self);
    } while (fd != LEAVES);
    guard_fetch_forget(); /* the table of descriptors outlives this process */
    close(guard_procfs_own());
    _exit(0);
}

/* Lets a parked worker attend FD. 0, or -1 when there is none. */
static int wake(int fd, enum guard_policy policy)
{
    int found = -1;
    pthread_mutex_lock(&shared->lock);
    for (int i = 0; shared->parked_count[policy] && found < 0 && i < WORKERS_MAX; i++) {
        struct worker *worker = &shared->workers[i];
        if (!worker->pid || worker->policy != policy || atomic_load(&worker->listener) != PARKED)
            continue;
        found = i;
        shared->parked_count[policy]--;
        atomic_fetch_add(&shared->listeners[fd].attending, 1);
        atomic_store(&worker->listener, fd);
        syscall(SYS_futex, &worker->listener, FUTEX_WAKE, 1, NULL, NULL, 0);
    }
    pthread_mutex_unlock(&shared->lock);
    return found < 0 ? -1 : 0;
}

static struct worker *free_worker(void)
{
    for (int i = 0; i < WORKERS_MAX; i++) {
        if (!shared->workers[i].pid)
            return &shared->workers[i];
    }
    return NULL;
}

/* One more worker for the listener FD, if one can be started. */
static void attend(int fd)
{
    enum guard_policy policy = (enum guard_policy)atomic_load(&shared->listeners[fd].policy);
    struct worker *self = wake(fd, policy) == 0 ? NULL : free_worker();
    if (!self)
        return;
    self->policy = policy;
    atomic_store(&self->processor, ANY);
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

static int has_calls_in_queue(int fd)
{
    struct pollfd poll_listener = {.fd = fd, .events = POLLIN};
    return poll(&poll_listener, 1, 0) > 0 && (poll_listener.revents & POLLIN);
}

/* From now on workers of POLICY attend FD. The others leave, each after its next call. */
static void change_policy(int fd, enum guard_policy policy)
{
    struct guard_listener *self = &shared->listeners[fd];
    self->short_for = self->behind_for = 0;
    self->other_for = OTHER_LOOKS;
    atomic_store(&self->policy, (int)policy);
    attend(fd);
}

void guard_workers_begin_with(int fd)
{
    if (!atomic_load(&shared->listeners[fd].attending))
        attend(fd);
}

int guard_workers_balance(int fd)
{
    struct guard_listener *self = &shared->listeners[fd];
    int policy = atomic_load(&self->policy), waiting = atomic_load(&self->waiting);
    unsigned answered = atomic_load(&self->calls) - self->seen;
    int is_queued = has_calls_in_queue(fd), is_active = answered || is_queued;
    self->seen += answered;
    self->behind_for = is_queued && answered < FEW_CALLS ? self->behind_for + 1 : 0;
    self->short_for = is_queued && !waiting ? self->short_for + 1 : 0;
    self->surplus_for = waiting > 1 ? self->surplus_for + 1 : 0;
    if (self->behind_for >= BEHIND_LOOKS || self->short_for >= short_looks[policy]) {
        change_policy(fd, GUARD_SCHED_OTHER);
    } else if (is_active && policy == GUARD_SCHED_OTHER && --self->other_for <= 0) {
        change_policy(fd, GUARD_SCHED_IDLE);
    } else if (self->surplus_for >= SURPLUS_LOOKS) {
        self->surplus_for = 0;
        atomic_store(&self->surplus, 1);
    }
    return is_active;
}

void guard_workers_rest(int fd)
{
    for (int i = 0; i < WORKERS_MAX; i++) {
        struct worker *worker = &shared->workers[i];
        if (worker->pid && atomic_load(&worker->listener) == fd)
            place_on_processor(worker, worker->pid, ANY);
    }
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
