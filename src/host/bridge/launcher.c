#include "host/bridge/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/bridge/core/bridge.h"
#include "net/token_bucket.h"
#include "proto/desktop_answer.h"
#include "proto/desktop_request.h"
#include "sys/clock.h"
#include "sys/crash.h"
#include "sys/debug.h"
#include "sys/descriptors.h"
#include "sys/signals.h"

#define PROGRAM "litterbox-desktop-helper"
/* At a time: questions that wait, and logins whose port is open. */
#define HELPERS_MAX 8
#define OPTIONS_MAX 16

/* How often a box may ask for each. */
static struct token_bucket limits[REQUEST_KINDS] = {
    [REQUEST_OPEN] = {.burst = 10, .refill_ms = 6000},
    [REQUEST_NOTIFY] = {.gap_ms = 1000, .burst = 20, .refill_ms = 180000},
};
static char program[PATH_MAX];
static int running;

static void run(pid_t parent, int input, int connection)
{
    char *argv[OPTIONS_MAX + 3] = {program, (char *)bridge.path};
    for (int i = 0; i < OPTIONS_MAX && bridge.options[i]; i++)
        argv[i + 2] = bridge.options[i];
    signals_reset();
    signals_end_with(parent);
    /* dup2 clears O_CLOEXEC; stderr stays where the bridge's goes. */
    if (dup2(input, STDIN_FILENO) >= 0 && dup2(connection, STDOUT_FILENO) >= 0)
        execv(program, argv);
    _exit(127);
}

/* The request fits into a pipe: nobody has to read while it is written. Not so where the user's
 * pipes are used up, as a box can do it: then it is not done, and nobody waits. */
static int start(const char *data, size_t length, int connection)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return -1;
    pid_t self = getpid(), pid = write(ends[1], data, length) == (ssize_t)length ? fork() : -1;
    if (pid == 0)
        run(self, ends[0], connection);
    close(ends[0]);
    close(ends[1]);
    running += pid > 0;
    return pid > 0 ? 0 : -1;
}

static int is_allowed(enum request_kind kind)
{
    return kind == REQUEST_OPEN ? bridge.settings.open != OPEN_DENY : bridge.settings.notify;
}

static void take(const char *data, size_t length, int connection)
{
    struct request asked;
    if (request_parse(&asked, data, length))
        return; /* the bridge has answered */
    debug_log(DEBUG_DESKTOP, "request to %s: %s, %d run",
              asked.kind == REQUEST_OPEN ? "open a page" : "show a notification",
              is_allowed(asked.kind) ? "allowed" : "refused by the settings", running);
    if (!is_allowed(asked.kind))
        answer_send(connection, REQUEST_REFUSED,
                    asked.kind == REQUEST_OPEN
                        ? "the box may open nothing outside: [desktop] open is \"deny\""
                        : "the box may show no notifications: [desktop] notify is false");
    else if (!token_bucket_take(&limits[asked.kind], clock_ms()))
        answer_send(connection, REQUEST_REFUSED, "that is asked too often; wait a little");
    else if (running >= HELPERS_MAX)
        answer_send(connection, REQUEST_REFUSED, "too much is asked at once");
    else if (start(data, length, connection) < 0)
        answer_send(connection, REQUEST_UNABLE, "the host cannot do it now");
}

/* FALSE (0): the bridge has gone. */
static int serve(int socket)
{
    static char data[REQUEST_MAX + 1];
    int connection = -1;
    ssize_t length = descriptors_receive(socket, data, sizeof data, &connection, 1, NULL);
    if (length > 0 && connection >= 0)
        take(data, (size_t)length, connection);
    if (connection >= 0)
        close(connection);
    return length > 0;
}

static void reap(void)
{
    for (int status; waitpid(-1, &status, WNOHANG) > 0; running--)
        crash_report_child("litterbox-bridge", "a desktop helper", status);
}

static void prepare(pid_t parent, int socket)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    signals_end_with(parent);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    prctl(PR_SET_NAME, "litterbox-ask");
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0)
        _exit(1);
    /* The lock and the folders are the bridge's. */
    int keep[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, socket};
    descriptors_keep(keep, sizeof keep / sizeof *keep);
}

static void work(pid_t parent, int socket)
{
    sigset_t child;
    prepare(parent, socket);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    struct pollfd polls[] = {{.fd = socket, .events = POLLIN},
                             {.fd = signalfd(-1, &child, SFD_CLOEXEC), .events = POLLIN}};
    for (;;) {
        struct signalfd_siginfo info;
        if (poll(polls, 2, -1) < 0 && errno != EINTR)
            break;
        if (polls[1].revents && read(polls[1].fd, &info, sizeof info) > 0)
            reap();
        if (polls[0].revents && !serve(socket))
            break;
    }
}

int launcher_start(void)
{
    int pair[2];
    if (bridge_beside(PROGRAM, program, sizeof program) < 0 ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -1;
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        work(parent, pair[1]);
        _exit(0);
    }
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return -1;
    }
    /* A launcher that is busy must not make the bridge wait. */
    fcntl(pair[0], F_SETFL, O_NONBLOCK);
    return pair[0];
}
