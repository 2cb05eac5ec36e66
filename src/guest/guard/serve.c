#include "guest/guard/serve.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest/guard/answer.h"
#include "guest/guard/proc.h"
#include "guest/guard/request.h"
#include "guest/guard/rights.h"
#include "guest/guard/seat.h"
#include "sys/debug.h"
#include "sys/descriptors.h"

/* More calls in hand at a time than a box has threads that wait for something. */
#define WORKERS_MAX 1024
/* So many may be without work. */
#define IDLE_MAX 4
/* How often a worker is called off until it hears. */
#define CALL_OFF_US 1000
/* Between two tries to start a worker, when there are as many processes as there may be. */
#define AGAIN_NS 100000000
/* What epoll tells of the leader, in place of a ticket. */
#define LEADER UINT64_MAX

/*
 * A call is taken fastest by a worker that waits for it in the kernel: caller and worker take turns
 * on one processor, which a wake-up by way of epoll would spoil. So whoever has done a call of a
 * listener stays with it, unless somebody else does; while that one is busy, or where there is
 * none, the idle ones are told by epoll.
 */
static struct {
    atomic_int workers, idle;
    atomic_int is_short; /* one could not be started */
} * shared;
static int calls; /* epoll over the listeners */
static pid_t leader_pid;
static struct guard_request request;

static void work(void);

/*
 * A sibling of the calling worker, or the leader's child. It counts as idle already. Where there
 * can be none now, the leader tries again: without an idle one nobody would notice anything any
 * more.
 */
static void start_worker(int flags)
{
    atomic_fetch_add(&shared->idle, 1);
    atomic_fetch_add(&shared->workers, 1);
    pid_t pid = (pid_t)syscall(SYS_clone, flags | CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) {
        work();
        _exit(0);
    }
    if (pid < 0) {
        atomic_fetch_sub(&shared->idle, 1);
        atomic_fetch_sub(&shared->workers, 1);
        atomic_store(&shared->is_short, 1);
        if (flags & CLONE_PARENT)
            kill(leader_pid, SIGCHLD); /* it looks at that then */
    }
}

/* Tells an idle worker of EVENTS at the listener, once, and of the end in any case. */
static void arm(uint64_t ticket, uint32_t events)
{
    struct epoll_event event = {.events = events | EPOLLONESHOT, .data.u64 = ticket};
    epoll_ctl(calls, EPOLL_CTL_MOD, guard_seat_listener(ticket), &event);
}

/*
 * 1 when this worker waits for the listener's calls from now on: nobody else does. Should the guard
 * end meanwhile, nobody would tell it.
 */
static int attend(uint64_t ticket)
{
    if (!guard_seat_wait(ticket))
        return 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* again, as a change of rights takes it back */
    if (getppid() != leader_pid)
        _exit(0);
    arm(ticket, 0);
    return 1;
}

/* Answers calls for as long as nobody else waits for them. */
static void answer_calls(uint64_t ticket)
{
    union guard_held held;
    int stays = attend(ticket), fd;
    request.listener = guard_seat_listener(ticket);
    while (stays) {
        int received = guard_answer_receive(request.listener, &held);
        guard_seat_waited(ticket);
        arm(ticket, EPOLLIN);
        if (received < 0)
            break;
        int error = guard_answer_find(&request, &held.notice, &fd);
        stays = attend(ticket); /* first, or the caller's next call wakes somebody else */
        guard_answer_give(&request, error, fd);
        /* The caller waits no longer. */
        if (error == EROFS || error == EBUSY)
            debug_log(DEBUG_GUARD, "process %d: '%s' is protected, call %d is refused: %s",
                      request.pid, request.made.text, (int)held.notice.data.nr, strerror(error));
    }
}

static void serve_listener(uint64_t ticket)
{
    if (!guard_seat_enter(ticket))
        return;
    if (atomic_fetch_sub(&shared->idle, 1) == 1 && shared->workers < WORKERS_MAX)
        start_worker(CLONE_PARENT);
    answer_calls(ticket);
    guard_seat_leave(ticket);
    atomic_fetch_add(&shared->idle, 1);
}

static void interrupted(int signal)
{
    (void)signal;
}

/* Nobody is left to call. */
static void drop(uint64_t ticket)
{
    pid_t pid;
    if (!guard_seat_drop(ticket))
        return;
    while ((pid = guard_seat_waiter(ticket)) != 0) {
        if (getppid() != leader_pid) /* that one was killed, and all end */
            _exit(0);
        kill(pid, SIGUSR1);
        usleep(CALL_OFF_US);
    }
    guard_seat_leave(ticket);
}

/* 1: enough others are idle for this one to end, which counts as idle no more. */
static int is_superfluous(void)
{
    int idle = atomic_load(&shared->idle);
    while (idle > IDLE_MAX) {
        if (atomic_compare_exchange_weak(&shared->idle, &idle, idle - 1))
            return 1;
    }
    return 0;
}

static void work(void)
{
    struct epoll_event event;
    struct sigaction action = {.sa_handler = interrupted}; /* without SA_RESTART */
    signal(SIGCHLD, SIG_DFL);
    sigaction(SIGUSR1, &action, NULL);
    if (guard_proc_begin() < 0 || guard_rights_look(request.kind) < 0)
        _exit(1);
    while (!is_superfluous()) {
        int count = epoll_wait(calls, &event, 1, -1);
        if (count < 0 && errno != EINTR)
            _exit(1);
        if (count <= 0)
            continue;
        if (event.data.u64 == LEADER)
            _exit(0);
        if (event.events & EPOLLIN)
            serve_listener(event.data.u64);
        else
            drop(event.data.u64);
    }
    /* The table of descriptors outlives this process. */
    close(guard_proc_own());
    atomic_fetch_sub(&shared->workers, 1);
}

/* 0 as long as no worker has ended by accident. */
static int reap(void)
{
    int status;
    while (waitpid(-1, &status, WNOHANG) > 0) {
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            return -1;
    }
    return 0;
}

static void child_ended(int signal)
{
    (void)signal;
}

static int begin(const struct init_options *options, enum guard_kind kind)
{
    struct epoll_event event = {.events = EPOLLIN};
    struct sigaction action = {.sa_handler = child_ended};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    calls = epoll_create1(EPOLL_CLOEXEC);
    leader_pid = getpid();
    event.data.u64 = LEADER;
    int leader = (int)syscall(SYS_pidfd_open, leader_pid, 0);
    request.options = options;
    request.kind = kind;
    request.list = (struct guard_list){options->reserved, options->reserved_count};
    if (shared == MAP_FAILED || guard_seat_begin() < 0 || calls < 0 || leader < 0 ||
        epoll_ctl(calls, EPOLL_CTL_ADD, leader, &event) < 0)
        return -1;
    /* Heard in ppoll() alone: one that ends just before must not be missed. */
    sigprocmask(SIG_BLOCK, &set, NULL);
    sigaction(SIGCHLD, &action, NULL);
    return 0;
}

/* 0 with the next listener, or with -1 after a signal or a while; -1 at the end of DOOR. */
static int await_listener(int door, int *listener)
{
    struct pollfd wait = {.fd = door, .events = POLLIN};
    struct timespec again = {.tv_nsec = AGAIN_NS};
    char byte;
    sigset_t none;
    sigemptyset(&none);
    if (atomic_exchange(&shared->is_short, 0))
        start_worker(0);
    *listener = -1;
    if (ppoll(&wait, 1, atomic_load(&shared->is_short) ? &again : NULL, &none) <= 0)
        return 0;
    return descriptors_receive(door, &byte, 1, listener, 1, NULL) > 0 ? 0 : -1;
}

static void take(int listener)
{
    uint64_t ticket;
    if (guard_seat_take(listener, &ticket) < 0) {
        close(listener);
        return;
    }
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.u64 = ticket};
    guard_answer_prepare(listener);
    if (epoll_ctl(calls, EPOLL_CTL_ADD, listener, &event) < 0)
        drop(ticket); /* or its calls would wait for ever */
    else if (shared->workers == 0)
        start_worker(0);
}

void guard_serve(const struct init_options *options, enum guard_kind kind, int door)
{
    int listener;
    if (begin(options, kind) < 0)
        return;
    while (reap() == 0) {
        if (await_listener(door, &listener) < 0)
            return; /* PID 1 is gone, and so is the box */
        if (listener >= 0)
            take(listener);
    }
}
