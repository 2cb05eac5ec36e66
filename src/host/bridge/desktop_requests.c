#include "host/bridge/desktop_requests.h"

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
#include "net/event_loop.h"
#include "net/token_bucket.h"
#include "proto/bridge_protocol.h"
#include "proto/desktop_request.h"
#include "sys/clock.h"
#include "sys/crash.h"
#include "sys/debug.h"
#include "sys/descriptors.h"
#include "sys/signals.h"

/* Connections without a request yet, and how long one may take: a program sends it at once. */
#define CLIENTS_MAX 16
#define CLIENT_TIMEOUT_MS 2000

static struct client {
    struct event_watch watch;
    struct event_timer timer; /* set while the entry is in use */
} clients[CLIENTS_MAX];

static int launcher; /* the socket to it */

static void client_close(struct client *self)
{
    event_watch_close(&self->watch);
    event_timer_stop(&self->timer);
}

/* Each connection carries one packet. With MSG_TRUNC the length is that of the whole packet. */
static void on_request(struct event_watch *watch, uint32_t events)
{
    struct client *self = watch->owner;
    int fd = watch->fd;
    static char data[REQUEST_MAX + 1];
    struct desktop_request asked;
    ssize_t length = recv(fd, data, sizeof data, MSG_DONTWAIT | MSG_TRUNC);
    if (length < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    const char *wrong = length > 0 ? desktop_request_parse(&asked, data, (size_t)length) : NULL;
    if (wrong)
        desktop_answer_send(fd, REQUEST_WRONG, wrong);
    else if (length > 0 && descriptors_send(launcher, data, (size_t)length, &fd, 1, 0) < 0)
        desktop_answer_send(fd, REQUEST_REFUSED, "too many requests at once");
    client_close(self);
}

static struct client *client_find_free(void)
{
    for (int i = 0; i < CLIENTS_MAX; i++)
        if (!clients[i].timer.due)
            return &clients[i];
    return NULL;
}

/* A client that sends nothing must not block others. */
static void on_timeout(struct event_timer *timer)
{
    client_close(timer->owner);
}

static void on_connection(struct event_watch *listener, uint32_t events)
{
    int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct client *client = fd >= 0 ? client_find_free() : NULL;
    if (fd < 0)
        return;
    if (!client) {
        desktop_answer_send(fd, REQUEST_REFUSED, "too many requests at once");
        close(fd);
        return;
    }
    client->watch = (struct event_watch){.fd = fd, .ready = on_request, .owner = client};
    client->timer = (struct event_timer){.expired = on_timeout, .owner = client};
    event_timer_set(&client->timer, CLIENT_TIMEOUT_MS);
    event_watch_set(&client->watch, EPOLLIN);
}

int desktop_requests_are_allowed(void)
{
    return bridge.settings.open != OPEN_DENY || bridge.settings.notify;
}

/* The launcher has ended; the next worker of the bridge starts another. */
static void on_launcher(struct event_watch *self, uint32_t events)
{
    bridge_fail("launcher");
}

int desktop_requests_begin(int launcher_socket)
{
    static struct event_watch listener = {.ready = on_connection};
    static struct event_watch to_launcher = {.ready = on_launcher};
    if (!desktop_requests_are_allowed())
        return 0;
    launcher = to_launcher.fd = launcher_socket;
    listener.fd = bridge_listen(BRIDGE_FOLDER "/" REQUEST_SOCKET, SOCK_SEQPACKET);
    if (launcher < 0 || listener.fd < 0)
        return -1;
    event_watch_set(&listener, EPOLLIN);
    event_watch_set(&to_launcher, EPOLLIN);
    return 1;
}

void desktop_requests_end(void)
{
    bridge_unlink(REQUEST_SOCKET);
}

/* The launcher. */

#define PROGRAM "litterbox-desktop-helper"
/* Helpers at a time: each may wait for the user, or forward the port of a login. */
#define HELPERS_MAX 8
#define OPTIONS_MAX 16

/* How often a box may ask for each kind. */
static struct token_bucket limits[REQUEST_KINDS] = {
    [REQUEST_OPEN] = {.burst = 10, .refill_ms = 6000},
    [REQUEST_NOTIFY] = {.gap_ms = 1000, .burst = 20, .refill_ms = 180000},
};
static char program[PATH_MAX];
static int running;

static void exec_helper(pid_t parent, int input, int connection)
{
    char *argv[OPTIONS_MAX + 3] = {program, (char *)bridge.path};
    for (int i = 0; i < OPTIONS_MAX && bridge.options[i]; i++)
        argv[i + 2] = bridge.options[i];
    signals_reset();
    signals_end_with(parent);
    /* dup2 clears O_CLOEXEC. stderr stays the bridge's log. */
    if (dup2(input, STDIN_FILENO) >= 0 && dup2(connection, STDOUT_FILENO) >= 0)
        execv(program, argv);
    _exit(127);
}

/* A request fits into a pipe, so writing it does not block. When the user's limit of pipe pages is
 * used up (pipe(7); a box can do that) the pipe is smaller: then the request fails. */
static int start_helper(const char *data, size_t length, int connection)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return -1;
    pid_t self = getpid(), pid = write(ends[1], data, length) == (ssize_t)length ? fork() : -1;
    if (pid == 0)
        exec_helper(self, ends[0], connection);
    close(ends[0]);
    close(ends[1]);
    running += pid > 0;
    return pid > 0 ? 0 : -1;
}

static int is_allowed(enum request_kind kind)
{
    return kind == REQUEST_OPEN ? bridge.settings.open != OPEN_DENY : bridge.settings.notify;
}

static void handle_request(const char *data, size_t length, int connection)
{
    struct desktop_request asked;
    if (desktop_request_parse(&asked, data, length))
        return; /* the bridge has already answered it */
    debug_log(DEBUG_DESKTOP, "request to %s: %s, %d run",
              asked.kind == REQUEST_OPEN ? "open a page" : "show a notification",
              is_allowed(asked.kind) ? "allowed" : "refused by the settings", running);
    if (!is_allowed(asked.kind))
        desktop_answer_send(connection, REQUEST_REFUSED,
                            asked.kind == REQUEST_OPEN
                                ? "the box may open nothing on the host: [desktop] open is \"deny\""
                                : "the box may show no notifications: [desktop] notify is false");
    else if (!token_bucket_take(&limits[asked.kind], clock_ms()))
        desktop_answer_send(connection, REQUEST_REFUSED, "the box asks too often; wait a little");
    else if (running >= HELPERS_MAX)
        desktop_answer_send(connection, REQUEST_REFUSED, "too many requests at once");
    else if (start_helper(data, length, connection) < 0)
        desktop_answer_send(connection, REQUEST_UNABLE, "the host cannot do it now");
}

/* 0 when the bridge has ended. */
static int serve_bridge(int socket)
{
    static char data[REQUEST_MAX + 1];
    int connection = -1;
    ssize_t length = descriptors_receive(socket, data, sizeof data, &connection, 1, NULL);
    if (length > 0 && connection >= 0)
        handle_request(data, (size_t)length, connection);
    if (connection >= 0)
        close(connection);
    return length > 0;
}

static void reap_helpers(void)
{
    for (int status; waitpid(-1, &status, WNOHANG) > 0; running--)
        crash_report_child("litterbox-bridge", "a desktop helper", status);
}

static void prepare_launcher(pid_t parent, int socket)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    signals_end_with(parent);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    prctl(PR_SET_NAME, "litterbox-fork");
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0)
        _exit(1);
    /* The launcher must not hold the bridge's lock and folders. */
    int keep[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, socket};
    descriptors_keep(keep, sizeof keep / sizeof *keep);
}

static void run_launcher(pid_t parent, int socket)
{
    prepare_launcher(parent, socket);
    struct pollfd polls[] = {
        {.fd = socket, .events = POLLIN},
        {.fd = signals_watch(SIG_BLOCK, (int[]){SIGCHLD}, 1), .events = POLLIN}};
    for (;;) {
        struct signalfd_siginfo info;
        if (poll(polls, 2, -1) < 0 && errno != EINTR)
            break;
        if (polls[1].revents && read(polls[1].fd, &info, sizeof info) > 0)
            reap_helpers();
        if (polls[0].revents && !serve_bridge(socket))
            break;
    }
}

int desktop_requests_start_launcher(void)
{
    int pair[2];
    if (bridge_beside(PROGRAM, program, sizeof program) < 0 ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -1;
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        run_launcher(parent, pair[1]);
        _exit(0);
    }
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return -1;
    }
    /* The bridge must not block on a busy launcher. */
    fcntl(pair[0], F_SETFL, O_NONBLOCK);
    return pair[0];
}
