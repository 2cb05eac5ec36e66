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

#include "guest/common/options.h"
#include "guest/init/bus.h"
#include "guest/init/control_socket.h"
#include "guest/init/guards.h"
#include "guest/init/proc_tree.h"
#include "guest/init/runtime_dir.h"
#include "guest/init/sessions.h"
#include "sys/box_filter.h"
#include "sys/crash.h"
#include "sys/debug.h"

/* A fresh box waits this long for its first session, however short idle_stop is. */
#define FIRST_SESSION_S 30
/* From SIGTERM to SIGKILL when the box stops. */
#define STOP_GRACE_MS 3000

#define PROGRAM "box-init"

static struct init_options options;
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
    long limit = options.idle_stop;
    if (!seen_session && limit < FIRST_SESSION_S)
        limit = FIRST_SESSION_S;
    long left = limit - idle_seconds();
    return left > 0 ? left : 0;
}

/* 1 while the clock towards the end runs. */
static int counting(void)
{
    return sessions_count() == 0 && options.idle_stop != SETTINGS_NEVER;
}

static struct session_info info(void)
{
    return (struct session_info){.sessions = (uint32_t)sessions_count(),
                                 .idle_left = counting() ? (uint32_t)idle_left() : UINT32_MAX};
}

static void close_in_child(void)
{
    close(control);
    close(signals);
    if (sudo_door >= 0)
        close(sudo_door);
}

static void reap(void)
{
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
        if (guards_ended(pid, status))
            guards_start(&options);
        bus_ended(pid);
        if (!sessions_ended(pid))
            continue;
        crash_report_child(PROGRAM, "the process of a session", status);
        debug_log(DEBUG_INIT, "process %d of a session has ended, %d left", (int)pid,
                  sessions_count());
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
        if (connection >= 0) {
            debug_log(DEBUG_INIT, "a client connects, %d sessions", sessions_count());
            sessions_start(connection, SESSION_FROM_HOST, 0, info());
        } else if (errno != EACCES && errno != EINTR && errno != ECONNABORTED)
            return;
    }
}

static void take_sudo(void)
{
    int peer;
    int connection = door_accept_sudo(sudo_door, &options, &peer);
    debug_log(DEBUG_INIT, "sudo by process %d", peer);
    if (connection >= 0)
        sessions_start(connection, SESSION_FROM_SUDO, peer, info());
}

/* 1 when the box should end. A client that still found the socket is served instead. */
static int idle_is_over(void)
{
    if (!counting() || idle_left() > 0)
        return 0;
    debug_log(DEBUG_INIT, "idle for %ld s: ends", options.idle_stop);
    door_close_control(&options);
    take_clients();
    if (sessions_count() == 0)
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
            bus_began(sessions_start_bus(bus_door(), info()));
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
    static char topics[DEBUG_LIST_MAX];
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    crash_handler_install(PROGRAM, NULL);
    control_read_debug(&options, topics, sizeof topics);
    debug_enable(PROGRAM, topics);
    umask(022);
    signals = watch_signals();
    sessions_init(&options, close_in_child);
    clock_gettime(CLOCK_MONOTONIC, &idle_since);
    if (signals < 0)
        return fail("signals");
    if (box_filter_install(options.nested) < 0)
        return fail("seccomp");
    if (guards_start(&options) < 0)
        return fail("guard of reserved names");
    /* Without it most programs do; those that do not say so. */
    if (runtime_dir_make(&options) < 0)
        fail("runtime folder");
    if (bus_open(&options) < 0)
        fail("session bus");
    if (options.sudo != SUDO_DENY && (sudo_door = door_open_sudo()) < 0)
        return fail("sudo socket");
    /* Last: whoever can connect finds everything in place. */
    control = door_open_control(&options);
    if (control < 0)
        return fail("control socket");
    debug_log(DEBUG_INIT, "listens; idle end after %ld s, %d protected names", options.idle_stop,
              options.reserved_count);
    serve();
    door_close_control(&options);
    end_all();
    return 0;
}
