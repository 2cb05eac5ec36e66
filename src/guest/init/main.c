/*
 * box-init: PID 1 of every box.
 *
 * It listens on the control socket, forks one session process for each connection (one ahead of it,
 * spare_session.h), reaps children, stops the box when it has been idle for long enough, and ends
 * everything on SIGTERM. When PID 1 dies the kernel kills the whole box. So it reads no messages
 * itself (sessions do), allocates memory only to list processes while there is no session, and does
 * without, and does not exit because of anything that the box does.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest/common/init_options.h"
#include "guest/common/privileges.h"
#include "guest/guard/guard.h"
#include "guest/init/control_socket.h"
#include "guest/init/guards.h"
#include "guest/init/idle.h"
#include "guest/init/proc_tree.h"
#include "guest/init/session_bus.h"
#include "guest/init/session_table.h"
#include "guest/init/spare_session.h"
#include "sys/box_filter.h"
#include "sys/crash.h"
#include "sys/debug.h"
#include "sys/signals.h"

/*
 * The command line of PID 1, which every process of the box can read in /proc/1/cmdline, and which
 * its children that execute nothing (the guards) show as theirs: kilobytes of paths.
 */

/*
 * Returns a copy of ARGV, and leaves the name of the program alone in what /proc and ps show.
 * ARGV as the kernel gave it, before anything keeps a pointer into it. NULL: no memory.
 */
static char **command_line_hide(int argc, char **argv)
{
    char **copy = calloc((size_t)argc + 1, sizeof *copy);
    for (int i = 0; copy && i < argc; i++) {
        if (!(copy[i] = strdup(argv[i])))
            return NULL;
    }
    if (!copy || argc < 2)
        return copy;
    /* The kernel lays the words out one behind the other. Where the last byte is not NUL it takes
     * them for overwritten as by setproctitle(3), and shows them up to the first NUL. */
    char *end = argv[argc - 1] + strlen(argv[argc - 1]);
    memset(argv[1], 0, (size_t)(end - argv[1]));
    *end = '.';
    return copy;
}

/* From SIGTERM to SIGKILL when the box stops. */
#define STOP_GRACE_MS 3000

#define PROGRAM "box-init"

static struct init_options options;
static int control = -1, sudo = -1, signals = -1; /* listening sockets; a signalfd */

static void close_main_in_child(void)
{
    close(control);
    close(signals);
    if (sudo >= 0)
        close(sudo);
}

static void reap_all(void)
{
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
        int guard = guards_ended(pid, status);
        if (guard >= 0) {
            guards_start(&options);
            session_table_signal(session_guard_signal(guard == GUARD_FOR_ROOT));
        }
        session_bus_ended(pid);
        idle_child_ended();
        if (!session_table_ended(pid))
            continue;
        crash_report_child(PROGRAM, "the process of a session", status);
        debug_log(DEBUG_INIT, "process %d of a session has ended, %d left", (int)pid,
                  session_table_count());
        if (!(WIFEXITED(status) && WEXITSTATUS(status) == SESSION_WITHOUT_COMMAND))
            idle_session_ended();
    }
}

static void accept_clients(void)
{
    for (;;) {
        int connection = control_socket_accept(control, &options);
        if (connection >= 0) {
            debug_log(DEBUG_INIT, "a client connects, %d sessions", session_table_count());
            session_table_start(connection, SESSION_FROM_HOST, 0, idle_info());
        } else if (errno != EACCES && errno != EINTR && errno != ECONNABORTED)
            return;
    }
}

static void accept_sudo(void)
{
    int peer = 0;
    int connection = control_socket_accept_sudo(sudo, &options, &peer);
    debug_log(DEBUG_INIT, "sudo by process %d", peer);
    if (connection >= 0)
        session_table_start(connection, SESSION_FROM_SUDO, peer, idle_info());
}

/* 1 when the box must stop. A client that has connected before the socket was removed is served
 * first. */
static int must_stop(void)
{
    if (!idle_is_over())
        return 0;
    control_socket_remove(&options);
    accept_clients();
    if (session_table_count() == 0)
        return 1;
    int listener = control_socket_listen(&options);
    if (listener >= 0) {
        close(control);
        control = listener;
    }
    return 0;
}

/* 1 after a signal to stop the box. */
static int read_main_signals(void)
{
    struct signalfd_siginfo info;
    int end = 0;
    while (read(signals, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo == SIGCHLD)
            reap_all();
        else
            end = 1;
    }
    return end;
}

static int next_timeout(void)
{
    int idle = idle_timeout(), spare = spare_session_timeout();
    return spare < idle ? spare : idle;
}

static void serve_box(void)
{
    for (;;) {
        struct pollfd fds[] = {{.fd = signals, .events = POLLIN},
                               {.fd = control, .events = POLLIN},
                               {.fd = sudo, .events = POLLIN},
                               {.fd = session_bus_socket(), .events = POLLIN}};
        int n = poll(fds, 4, next_timeout());
        if (n < 0 && errno != EINTR)
            sleep(1); /* possibly ENOMEM: try again later */
        if (n == 0)
            spare_session_fork();
        if (n > 0 && fds[0].revents && read_main_signals())
            return;
        /* Tries again where an earlier start failed. Before accept(), as the guard would inherit
         * an accepted connection. */
        if (n > 0 && (fds[1].revents || fds[2].revents || fds[3].revents))
            guards_start(&options);
        if (n > 0 && fds[1].revents)
            accept_clients();
        if (n > 0 && fds[2].revents)
            accept_sudo();
        if (n > 0 && fds[3].revents)
            session_bus_started(session_table_start_bus(session_bus_socket(), idle_info()));
        if (must_stop())
            return;
    }
}

/*
 * Sends all processes SIGTERM, and SIGHUP, which ends interactive shells (bash(1)), then SIGKILL
 * after some time. The guards ignore the first two: programs may have files to save.
 */
static void end_box(void)
{
    spare_session_close();
    kill(-1, SIGTERM);
    kill(-1, SIGHUP);
    kill(-1, SIGCONT);
    for (int waited = 0; waited < STOP_GRACE_MS; waited += 10) {
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        if (proc_tree_count_except(guards_pids(), GUARDS) == 0)
            return;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    kill(-1, SIGKILL);
}

static int watch_signals(void)
{
    static const int watched[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGPWR};
    int fd = signals_watch(SIG_SETMASK, watched, sizeof watched / sizeof *watched);
    sigset_t set;
    /* Sessions inherit that these are blocked, and so do not die of them before they watch them. */
    sigemptyset(&set);
    sigaddset(&set, session_guard_signal(0));
    sigaddset(&set, session_guard_signal(1));
    sigprocmask(SIG_BLOCK, &set, NULL);
    return fd;
}

static int fail_start(const char *what)
{
    fprintf(stderr, "box-init: %s: %s\n", what, strerror(errno));
    return 125;
}

int main(int argc, char **argv)
{
    char **words = command_line_hide(argc, argv);
    if (!words)
        return fail_start("command line");
    if (init_options_parse(&options, argc, words) < 0)
        return 125;
    static char topics[DEBUG_LIST_MAX];
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    signals_reset(); /* no session inherits an ignored signal; exec resets handlers */
    crash_handler_install(PROGRAM, NULL);
    control_socket_read_debug(&options, topics, sizeof topics);
    debug_enable(PROGRAM, topics);
    umask(022);
    privileges_begin();
    signals = watch_signals();
    session_table_init(&options, close_main_in_child);
    idle_init(&options);
    if (signals < 0)
        return fail_start("signals");
    if (box_filter_install(options.nested) < 0)
        return fail_start("seccomp");
    if (guards_start(&options) < 0)
        return fail_start("guard of reserved names");
    /* Not fatal: most programs need neither. */
    if (runtime_dir_make(&options) < 0)
        fail_start("runtime folder");
    if (session_bus_listen(&options) < 0)
        fail_start("session bus");
    if (options.sudo != SUDO_DENY && (sudo = control_socket_listen_sudo()) < 0)
        return fail_start("sudo socket");
    /* Last, so that everything is in place for the first client. */
    control = control_socket_listen(&options);
    if (control < 0)
        return fail_start("control socket");
    debug_log(DEBUG_INIT, "listens; idle end after %lld s, %d protected names",
              (long long)options.idle_stop, options.reserved_count);
    serve_box();
    control_socket_remove(&options);
    end_box();
    return 0;
}
