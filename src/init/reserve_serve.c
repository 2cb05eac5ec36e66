#include "init/reserve_serve.h"

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

#include "init/reserve_answer.h"
#include "init/reserve_pass.h"
#include "init/reserve_proc.h"
#include "init/reserve_request.h"
#include "init/reserve_rights.h"

/* More calls in hand at a time than a box has threads that wait for something. */
#define WORKERS_MAX 1024
/* So many may be without work. */
#define IDLE_MAX 4
/* Listeners beyond have no worker of their own. */
#define ATTENDED_MAX 4096
/* How often a worker is called off until it hears. */
#define CALL_OFF_US 1000

/*
 * A call is taken fastest by a worker that waits for it in the kernel: caller and worker take turns
 * on one processor, which a wake-up by way of epoll would spoil. So whoever has done a call of a
 * listener stays with it, unless somebody else does; while that one is busy, or where there is
 * none, the idle ones are told by epoll.
 */
static struct {
    atomic_int workers, idle;
    atomic_int attended[ATTENDED_MAX]; /* by listener: the pid of who waits for its calls, or 0 */
} * shared;
static int calls;  /* epoll over the listeners */
static int leader; /* pidfd of the process that takes them */
static pid_t leader_pid;
static struct reserve_request request;

static void work(void);

/* A sibling of the calling worker, or the leader's first child. It counts as idle already. */
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
    }
}

/* Tells an idle worker of EVENTS, once, and of the end in any case. */
static void arm(int listener, uint32_t events)
{
    struct epoll_event event = {.events = events | EPOLLONESHOT, .data.fd = listener};
    epoll_ctl(calls, EPOLL_CTL_MOD, listener, &event);
}

/*
 * 1 when this worker waits for LISTENER's calls from now on: nobody else does. Should the guard end
 * meanwhile, nobody would tell it.
 */
static int attend(int listener)
{
    int nobody = 0;
    if (listener >= ATTENDED_MAX ||
        !atomic_compare_exchange_strong(&shared->attended[listener], &nobody, getpid()))
        return 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* again, as a change of rights takes it back */
    if (getppid() != leader_pid)
        _exit(0);
    arm(listener, 0);
    return 1;
}

static void serve_listener(int listener)
{
    union reserve_held held;
    int stays = 0, fd;
    if (atomic_fetch_sub(&shared->idle, 1) == 1 && shared->workers < WORKERS_MAX)
        start_worker(CLONE_PARENT);
    request.listener = listener;
    do {
        int received = reserve_answer_receive(listener, &held);
        if (stays)
            atomic_store(&shared->attended[listener], 0);
        arm(listener, EPOLLIN);
        if (received < 0)
            break;
        int error = reserve_answer_find(&request, &held.notice, &fd);
        stays = attend(listener); /* first, or the caller's next call wakes somebody else */
        reserve_answer_give(&request, error, fd);
    } while (stays);
    atomic_fetch_add(&shared->idle, 1);
}

static void interrupted(int signal)
{
    (void)signal;
}

/* Nobody is left behind LISTENER. Its number must not mean another while somebody waits for it. */
static void drop(int listener)
{
    int pid;
    while (listener < ATTENDED_MAX && (pid = atomic_load(&shared->attended[listener])) != 0) {
        kill(pid, SIGUSR1);
        usleep(CALL_OFF_US);
    }
    close(listener);
}

static void work(void)
{
    struct epoll_event event;
    struct sigaction action = {.sa_handler = interrupted}; /* without SA_RESTART */
    signal(SIGCHLD, SIG_DFL);
    sigaction(SIGUSR1, &action, NULL);
    if (reserve_proc_begin() < 0 || reserve_rights_look(request.kind) < 0)
        _exit(1);
    while (atomic_load(&shared->idle) <= IDLE_MAX) {
        int count = epoll_wait(calls, &event, 1, -1);
        if (count < 0 && errno != EINTR)
            _exit(1);
        if (count <= 0)
            continue;
        if (event.data.fd == leader)
            _exit(0);
        if (event.events & EPOLLIN)
            serve_listener(event.data.fd);
        else
            drop(event.data.fd);
    }
    /* The table of descriptors outlives this process. */
    close(reserve_proc_own());
    atomic_fetch_sub(&shared->idle, 1);
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

static int begin(const struct init_options *options, enum reserve_kind kind)
{
    struct epoll_event event = {.events = EPOLLIN};
    struct sigaction action = {.sa_handler = child_ended};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    calls = epoll_create1(EPOLL_CLOEXEC);
    leader_pid = getpid();
    event.data.fd = leader = (int)syscall(SYS_pidfd_open, leader_pid, 0);
    request.options = options;
    request.kind = kind;
    request.list = (struct reserve_list){options->reserved, options->reserved_count};
    if (shared == MAP_FAILED || calls < 0 || leader < 0 ||
        epoll_ctl(calls, EPOLL_CTL_ADD, leader, &event) < 0)
        return -1;
    sigaction(SIGCHLD, &action, NULL);
    return 0;
}

void reserve_serve(const struct init_options *options, enum reserve_kind kind, int door)
{
    struct pollfd wait = {.fd = door, .events = POLLIN};
    sigset_t none;
    sigemptyset(&none);
    if (begin(options, kind) < 0)
        return;
    while (reap() == 0) {
        int number, listener;
        if (ppoll(&wait, 1, NULL, &none) <= 0)
            continue;
        if (reserve_pass_receive(door, &number, &listener) < 0 && errno != EINTR)
            return; /* PID 1 is gone, and so is the box */
        if (listener < 0)
            continue;
        reserve_answer_prepare(listener);
        struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = listener};
        epoll_ctl(calls, EPOLL_CTL_ADD, listener, &event);
        if (shared->workers == 0)
            start_worker(0);
    }
}
