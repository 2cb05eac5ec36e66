/*
 * box-init: PID 1 of every box.
 *
 * It listens on the control socket, forks one session process a connection, reaps, stops the box
 * when nobody has used it for a while, and ends everything on SIGTERM. It reads no message itself
 * (sessions do), allocates nothing after its start, and never ends for a reason that the box could
 * give it: a PID 1 that dies takes the box with it.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "init/bus.h"
#include "init/descend.h"
#include "init/door.h"
#include "init/filter.h"
#include "init/guards.h"
#include "init/options.h"
#include "init/runtime_dir.h"
#include "init/session.h"

/* More sessions at a time than anybody has terminals; beyond it a client is turned away. */
#define SESSIONS_MAX 1024
/* Of these, asked for from inside: so that no flood of sudo can keep the host out. */
#define SUDO_SESSIONS_MAX 64
/* A fresh box waits this long for its first session, however short idle_stop is. */
#define FIRST_SESSION_S 30
/* From SIGTERM to SIGKILL when the box stops. */
#define STOP_GRACE_MS 3000

struct slot {
    pid_t pid;
    int questions; /* our end of the session's question socket, or -1 */
    int from_sudo;
};

static struct init_options options;
static struct slot slots[SESSIONS_MAX];
static int sessions, sudo_sessions;
static int seen_session;
static int control = -1, sudo_door = -1, signals = -1;
static struct timespec idle_since;

static long idle_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec - idle_since.tv_sec;
}

static long idle_left(void)
{
    long limit = options.idle;
    if (!seen_session && limit < FIRST_SESSION_S)
        limit = FIRST_SESSION_S;
    long left = limit - idle_seconds();
    return left > 0 ? left : 0;
}

/* 1 while the clock towards the end runs. */
static int counting(void)
{
    return sessions == 0 && options.idle != INIT_NEVER;
}

static struct session_info info(void)
{
    return (struct session_info){.sessions = (uint32_t)sessions,
                                 .idle_left = counting() ? (uint32_t)idle_left() : UINT32_MAX};
}

static struct slot *free_slot(void)
{
    for (int i = 0; i < SESSIONS_MAX; i++) {
        if (!slots[i].pid)
            return &slots[i];
    }
    return NULL;
}

static int is_session(int pid, void *data)
{
    for (int i = 0; i < SESSIONS_MAX; i++) {
        if (slots[i].pid == pid) {
            *(struct slot **)data = &slots[i];
            return 1;
        }
    }
    return 0;
}

/* The question socket of the session that PID belongs to, or -1. */
static int questions_of(int pid)
{
    struct slot *slot = NULL;
    return descend_find_ancestor(pid, is_session, &slot) > 0 && slot ? slot->questions : -1;
}

static void close_in_session(int keep)
{
    close(control);
    close(signals);
    if (sudo_door >= 0)
        close(sudo_door);
    for (int i = 0; i < SESSIONS_MAX; i++) {
        if (slots[i].pid && slots[i].questions >= 0 && slots[i].questions != keep)
            close(slots[i].questions);
    }
}

static void start_bus(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        close_in_session(-1);
        struct session_context context = {&options, bus_door(), SESSION_OF_BUS, 0, -1, info()};
        _exit(session_serve(&context));
    }
    bus_began(pid);
}

static void start_session(int connection, enum session_side side, int peer)
{
    int pair[2] = {-1, -1};
    int from_sudo = side == SESSION_FROM_SUDO;
    struct slot *slot = from_sudo && sudo_sessions >= SUDO_SESSIONS_MAX ? NULL : free_slot();
    if (slot && side == SESSION_FROM_HOST && options.sudo == INIT_SUDO_ASK &&
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        slot = NULL;
    int ask = side == SESSION_FROM_SUDO ? questions_of(peer) : pair[1];
    pid_t pid = slot ? fork() : -1;
    if (pid == 0) {
        close_in_session(ask);
        bus_close();
        if (pair[0] >= 0)
            close(pair[0]);
        struct session_context context = {&options, connection, side, peer, ask, info()};
        _exit(session_serve(&context));
    }
    if (pid > 0) {
        *slot = (struct slot){pid, pair[0], from_sudo};
        sessions++;
        sudo_sessions += from_sudo;
    } else if (pair[0] >= 0) {
        close(pair[0]);
    }
    if (pair[1] >= 0)
        close(pair[1]);
    close(connection);
}

static void reap(void)
{
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
        struct slot *slot = NULL;
        if (guards_ended(pid))
            guards_start(&options);
        bus_ended(pid);
        if (!is_session(pid, &slot))
            continue;
        if (slot->questions >= 0)
            close(slot->questions);
        sudo_sessions -= slot->from_sudo;
        *slot = (struct slot){0, -1, 0};
        sessions--;
        if (!(WIFEXITED(status) && WEXITSTATUS(status) == SESSION_ONLY_ASKED)) {
            seen_session = 1;
            clock_gettime(CLOCK_MONOTONIC, &idle_since);
        }
    }
}

static void take_clients(void)
{
    for (;;) {
        int connection = door_accept_control(control, &options);
        if (connection >= 0)
            start_session(connection, SESSION_FROM_HOST, 0);
        else if (errno != EACCES && errno != EINTR && errno != ECONNABORTED)
            return;
    }
}

static void take_sudo(void)
{
    int peer;
    int connection = door_accept_sudo(sudo_door, &options, &peer);
    if (connection >= 0)
        start_session(connection, SESSION_FROM_SUDO, peer);
}

/* 1 when the box should end. A client that still found the socket is served instead. */
static int idle_is_over(void)
{
    if (!counting() || idle_left() > 0)
        return 0;
    door_close_control(&options);
    take_clients();
    if (sessions == 0)
        return 1;
    int door = door_open_control(&options);
    if (door >= 0) {
        close(control);
        control = door;
    }
    return 0;
}

/* 1 when a signal asked for the end. */
static int read_signals(void)
{
    struct signalfd_siginfo info;
    int end = 0;
    while (read(signals, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo == SIGCHLD)
            reap();
        else
            end = 1;
    }
    return end;
}

static void serve(void)
{
    for (;;) {
        struct pollfd fds[] = {{.fd = signals, .events = POLLIN},
                               {.fd = control, .events = POLLIN},
                               {.fd = sudo_door, .events = POLLIN},
                               {.fd = bus_door(), .events = POLLIN}};
        long left = counting() ? idle_left() : 3600;
        int n = poll(fds, 4, left > 3600 ? 3600 * 1000 : (int)left * 1000);
        if (n < 0 && errno != EINTR)
            sleep(1); /* out of memory, perhaps: go on when there is some */
        if (n > 0 && fds[0].revents && read_signals())
            return;
        /* One that ended when there could be no other. With no connection open, or it would keep
         * it. */
        if (n > 0 && (fds[1].revents || fds[2].revents || fds[3].revents))
            guards_start(&options);
        if (n > 0 && fds[1].revents)
            take_clients();
        if (n > 0 && fds[2].revents)
            take_sudo();
        if (n > 0 && fds[3].revents)
            start_bus();
        if (idle_is_over())
            return;
    }
}

/*
 * Everything else in the box gets a SIGTERM (shells: a SIGHUP), some time, and a SIGKILL. The
 * guards stay to the end: what is told to end may have something to save.
 */
static void end_all(void)
{
    kill(-1, SIGTERM);
    kill(-1, SIGHUP);
    kill(-1, SIGCONT);
    for (int waited = 0; waited < STOP_GRACE_MS; waited += 10) {
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        if (descend_count_beside(guards_pids(), GUARDS) == 0)
            return;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    kill(-1, SIGKILL);
}

static int watch_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGPWR);
    sigprocmask(SIG_SETMASK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int fail(const char *what)
{
    fprintf(stderr, "box-init: %s: %s\n", what, strerror(errno));
    return 125;
}

int main(int argc, char **argv)
{
    if (init_options_parse(&options, argc, argv) < 0)
        return 125;
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    umask(022);
    signals = watch_signals();
    clock_gettime(CLOCK_MONOTONIC, &idle_since);
    if (signals < 0)
        return fail("signals");
    if (filter_install(options.nested) < 0)
        return fail("seccomp");
    if (guards_start(&options) < 0)
        return fail("guard of reserved names");
    /* Without it most programs do; those that do not say so. */
    if (runtime_dir_make(&options) < 0)
        fail("runtime folder");
    if (bus_open(&options) < 0)
        fail("session bus");
    if (options.sudo != INIT_SUDO_DENY && (sudo_door = door_open_sudo()) < 0)
        return fail("sudo socket");
    /* Last: whoever can connect finds everything in place. */
    control = door_open_control(&options);
    if (control < 0)
        return fail("control socket");
    serve();
    door_close_control(&options);
    end_all();
    return 0;
}
