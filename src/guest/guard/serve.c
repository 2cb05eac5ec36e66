#include "guest/guard/serve.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest/guard/answer.h"
#include "guest/guard/file_system.h"
#include "guest/guard/git_lockfile.h"
#include "guest/guard/gitfile.h"
#include "guest/guard/hidden.h"
#include "guest/guard/procfs.h"
#include "guest/guard/protection.h"
#include "guest/guard/rights.h"
#include "guest/guard/umask.h"
#include "sys/clock.h"
#include "sys/descriptors.h"
#include "sys/signals.h"

/* How often workers are called off until all have heard. */
#define CALL_OFF_MS 1
/* Between two looks at the workers, while there are calls. */
#define LOOK_MS 5
/* So many looks without a call, and epoll tells of the next one. */
#define QUIET_LOOKS 20
#define EVENTS_MAX 16

static int events; /* epoll: listeners, and what follows */
static int door;
static int ended;    /* a signalfd: a worker has ended */
static int closings; /* an inotify: a file was closed that the guard may have to write */

static int first = -1; /* listener */
static int ending;     /* listeners that workers still use */
static int looked_at;  /* listeners with calls, at whose workers the leader looks */

static void interrupted(int signal)
{
    (void)signal;
}

static int watch(int fd, uint32_t what)
{
    struct epoll_event event = {.events = what, .data.fd = fd};
    return fd < 0 ? -1 : epoll_ctl(events, EPOLL_CTL_ADD, fd, &event);
}

static int begin(const struct init_options *options, enum guard_kind kind)
{
    static struct protected_names names;
    static const int watched[] = {SIGCHLD};
    struct guard_request common = {.options = options, .kind = kind, .names = &names};
    struct sigaction action = {.sa_handler = interrupted}; /* without SA_RESTART */
    events = epoll_create1(EPOLL_CLOEXEC);
    if (events < 0 || sigaction(SIGUSR1, &action, NULL) < 0 ||
        protected_names_compile(&names, options->reserved, options->reserved_count) < 0 ||
        guard_hidden_begin(options) < 0 || guard_umask_begin() < 0 ||
        guard_git_lockfile_begin() < 0 || guard_answer_begin() < 0 || guard_procfs_begin() < 0 ||
        guard_rights_look(kind) < 0)
        return -1;
    guard_protection_begin(&names, options);
    guard_set_id_begin();
    closings = guard_gitfile_begin(&common);
    ended = signals_watch(SIG_BLOCK, watched, 1);
    return guard_workers_begin(&common) < 0 || watch(door, EPOLLIN) < 0 ||
                   watch(ended, EPOLLIN) < 0 || watch(closings, EPOLLIN) < 0
               ? -1
               : 0;
}

/* The first call is told by epoll: most sessions make none. */
static void take_request(int fd)
{
    if (fd >= GUARD_LISTENERS_MAX || watch(fd, EPOLLIN | EPOLLONESHOT) < 0) {
        close(fd); /* or its calls would wait for ever */
        return;
    }
    guard_workers_expect(fd);
    guard_workers_listener(fd)->next = first;
    first = fd;
    guard_notification_prepare(fd);
}

/* 0, or -1 when PID 1 is gone, and so is the box. */
static int answer_door(void)
{
    char byte;
    int listener;
    if (descriptors_receive(door, &byte, 1, &listener, 1, NULL) <= 0)
        return -1;
    if (listener >= 0)
        take_request(listener);
    return 0;
}

/* Lets epoll tell of what happens to the listener FD, once; its end is always told. */
static void rearm(int fd, uint32_t what)
{
    epoll_ctl(events, EPOLL_CTL_MOD, fd,
              &(struct epoll_event){.events = what | EPOLLONESHOT, .data.fd = fd});
}

static void set_looked_at(struct guard_listener *self, int is_looked_at)
{
    looked_at += is_looked_at - self->is_looked_at;
    self->is_looked_at = is_looked_at;
    self->quiet_for = 0;
}

static void serve_listener(int fd, uint32_t happened)
{
    struct guard_listener *self = guard_workers_listener(fd);
    if (happened & EPOLLIN) {
        guard_workers_begin_with(fd);
        set_looked_at(self, 1);
        rearm(fd, 0);
    } else {
        set_looked_at(self, 0);
        atomic_store(&self->has_ended, 1);
        epoll_ctl(events, EPOLL_CTL_DEL, fd, NULL);
        ending++;
    }
}

/* Closes the listeners that have ended and nobody uses any more. */
static void call_off(void)
{
    for (int *link = &first; ending && *link >= 0;) {
        int fd = *link;
        struct guard_listener *at = guard_workers_listener(fd);
        if (atomic_load(&at->has_ended) && !atomic_load(&at->attending)) {
            *link = at->next;
            close(fd);
            ending--;
            continue;
        }
        if (atomic_load(&at->has_ended))
            guard_workers_call_off(fd);
        link = &at->next;
    }
}

/* Looks at the workers of the listeners that have calls, when it is time. */
static void look_at_workers(void)
{
    static int64_t next;
    int64_t now = clock_ms();
    if (!looked_at || now < next)
        return;
    next = now + LOOK_MS;
    for (int fd = first; fd >= 0; fd = guard_workers_listener(fd)->next) {
        struct guard_listener *self = guard_workers_listener(fd);
        if (!self->is_looked_at)
            continue;
        self->quiet_for = guard_workers_balance(fd) ? 0 : self->quiet_for + 1;
        if (self->quiet_for < QUIET_LOOKS)
            continue;
        set_looked_at(self, 0);
        guard_workers_rest(fd);
        rearm(fd, EPOLLIN);
    }
}

/* 0 as long as no worker has ended by accident. */
static int reap(void)
{
    int status;
    pid_t pid;
    struct signalfd_siginfo info;
    while (read(ended, &info, sizeof info) > 0)
        ;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            return -1;
        guard_workers_ended(pid);
    }
    return 0;
}

/* 0, or -1 when the guard has to end. */
static int answer(const struct epoll_event *event)
{
    if (event->data.fd == door)
        return answer_door();
    if (event->data.fd == ended)
        return reap();
    if (event->data.fd == closings) {
        guard_gitfile_closed();
        return 0;
    }
    serve_listener(event->data.fd, event->events);
    return 0;
}

void guard_serve(const struct init_options *options, enum guard_kind kind, int from_sessions)
{
    struct epoll_event happened[EVENTS_MAX];
    door = from_sessions;
    if (begin(options, kind) < 0)
        return;
    for (;;) {
        int timeout = ending ? CALL_OFF_MS : looked_at ? LOOK_MS : -1;
        int count = epoll_wait(events, happened, EVENTS_MAX, timeout);
        if (count < 0 && errno != EINTR)
            return;
        for (int i = 0; i < count; i++) {
            if (answer(&happened[i]) < 0)
                return;
        }
        look_at_workers();
        call_off();
    }
}
