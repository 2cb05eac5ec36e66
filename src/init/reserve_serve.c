#include "init/reserve_serve.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
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

static struct {
    atomic_int workers, idle;
} * shared;
static int calls;  /* epoll over the listeners */
static int leader; /* pidfd of the process that takes them */
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

static void arm(int listener, int how)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = listener};
    epoll_ctl(calls, how, listener, &event);
}

static void serve_listener(int listener)
{
    union reserve_held held;
    if (atomic_fetch_sub(&shared->idle, 1) == 1 && shared->workers < WORKERS_MAX)
        start_worker(CLONE_PARENT);
    int received = reserve_answer_receive(listener, &held);
    arm(listener, EPOLL_CTL_MOD);
    if (received == 0) {
        request.listener = listener;
        reserve_answer(&request, &held.notice);
    }
    atomic_fetch_add(&shared->idle, 1);
}

static void work(void)
{
    struct epoll_event event;
    signal(SIGCHLD, SIG_DFL);
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
            close(event.data.fd); /* nobody is left behind it */
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
    event.data.fd = leader = (int)syscall(SYS_pidfd_open, getpid(), 0);
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
        arm(listener, EPOLL_CTL_ADD);
        if (shared->workers == 0)
            start_worker(0);
    }
}
