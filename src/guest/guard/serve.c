#include "guest/guard/serve.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest/guard/answer.h"
#include "guest/guard/hidden.h"
#include "guest/guard/notification.h"
#include "guest/guard/protection.h"
#include "guest/guard/rights.h"
#include "guest/guard/set_id.h"
#include "guest/guard/umask.h"
#include "guest/guard/workers.h"
#include "sys/descriptors.h"
#include "sys/signals.h"

/* How often workers are called off until all have heard. */
#define CALL_OFF_MS 1
/* Between two looks at the workers, while there are calls. */
#define LOOK_MS 5
/* So many looks without a call, and the leader sleeps. */
#define QUIET_LOOKS 20
#define EVENTS_MAX 16

static int events; /* epoll: listeners, and what follows */
static int door;
static int wake_up; /* an eventfd: there was a call, and the leader slept */
static int ended;   /* a signalfd: a worker has ended */

static int first = -1; /* listener */
static int ending;     /* listeners that workers still use */
static int quiet_looks;

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
        guard_hidden_begin(options) < 0 || guard_umask_begin() < 0 || guard_answer_begin() < 0 ||
        guard_rights_look(kind) < 0)
        return -1;
    guard_protection_begin(&names, options);
    guard_set_id_begin();
    wake_up = guard_workers_begin(&common);
    ended = signals_watch(SIG_BLOCK, watched, 1);
    return watch(door, EPOLLIN) < 0 || watch(wake_up, EPOLLIN) < 0 || watch(ended, EPOLLIN) < 0 ? -1
                                                                                                : 0;
}

/* The first call is told by epoll: most sessions make none. */
static void take(int fd)
{
    if (fd >= GUARD_LISTENERS_MAX || watch(fd, EPOLLIN | EPOLLONESHOT) < 0) {
        close(fd); /* or its calls would wait for ever */
        return;
    }
    struct guard_listener *self = guard_workers_listener(fd);
    memset(self, 0, sizeof *self);
    self->next = first;
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
        take(listener);
    return 0;
}

static void serve_listener(int fd, uint32_t happened)
{
    struct epoll_event only_the_end = {.events = EPOLLONESHOT, .data.fd = fd};
    if (happened & EPOLLIN) {
        guard_workers_listener(fd)->has_begun = 1;
        guard_workers_attend(fd);
        quiet_looks = 0;
        epoll_ctl(events, EPOLL_CTL_MOD, fd, &only_the_end);
    } else {
        atomic_store(&guard_workers_listener(fd)->has_ended, 1);
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

/* 1 when a listener had calls since the last look, or needs a worker. */
static int look(void)
{
    int is_active = 0;
    for (int fd = first; fd >= 0; fd = guard_workers_listener(fd)->next) {
        if (!atomic_load(&guard_workers_listener(fd)->has_ended))
            is_active |= guard_workers_balance(fd);
    }
    return is_active;
}

/* 1 when the leader can sleep until it is told of something. */
static int can_sleep(void)
{
    quiet_looks = look() ? 0 : quiet_looks + 1;
    if (quiet_looks < QUIET_LOOKS)
        return 0;
    guard_workers_leader_sleeps(1);
    if (!look()) /* not even a call that came just before it was said */
        return 1;
    guard_workers_leader_sleeps(0);
    quiet_looks = 0;
    return 0;
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
    eventfd_t times;
    if (event->data.fd == wake_up)
        return eventfd_read(wake_up, &times);
    if (event->data.fd == door)
        return answer_door();
    if (event->data.fd == ended)
        return reap();
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
        int count = epoll_wait(events, happened, EVENTS_MAX,
                               ending        ? CALL_OFF_MS
                               : can_sleep() ? -1
                                             : LOOK_MS);
        guard_workers_leader_sleeps(0);
        if (count < 0 && errno != EINTR)
            return;
        for (int i = 0; i < count; i++) {
            if (answer(&happened[i]) < 0)
                return;
        }
        call_off();
    }
}
