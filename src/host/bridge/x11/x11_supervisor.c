#include "host/bridge/x11/x11.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/bridge/clipboard/clipboard.h"
#include "host/bridge/core/bridge.h"
#include "host/bridge/core/x_display.h"
#include "net/event_loop.h"
#include "net/stream_relay.h"
#include "net/unix_socket.h"
#include "proto/bridge_protocol.h"
#include "sys/clock.h"
#include "sys/confine.h"
#include "sys/signals.h"

/*
 * The relay of x11 = "host". It does not look into the data, and passes descriptors on with it.
 */

/* Most clients at a time: an X server has 256 places for all programs of the desktop. */
#define CLIENTS_MAX 64

enum { CLIENT, SERVER };

struct connection {
    struct event_watch side[2];
    struct stream_relay relay;
};

static const char *server_path;
static struct event_watch relay_listener;
static int n_connections;

/* Accepts clients while there is room, and ends the loop after the last one. */
static void relay_update(void)
{
    event_watch_set(&relay_listener, n_connections < CLIENTS_MAX ? EPOLLIN : 0);
    if (n_connections == 0)
        event_loop_quit();
}

static void connection_end(struct connection *self)
{
    event_watch_close(&self->side[CLIENT]);
    event_watch_close(&self->side[SERVER]);
    stream_relay_clear(&self->relay);
    free(self);
    n_connections--;
    relay_update();
}

static void on_ready(struct event_watch *side, uint32_t events)
{
    struct connection *self = side->owner;
    enum stream_relay_state state = stream_relay_step(&self->relay, side == &self->side[SERVER]);
    const struct pump *pump = self->relay.pump;
    /* X11 has no half-open connections. */
    if (state != STREAM_RELAY_OPEN || pump[CLIENT].has_shut_down || pump[SERVER].has_shut_down) {
        connection_end(self);
        return;
    }
    for (int i = 0; i < 2; i++)
        event_watch_set(&self->side[i], stream_relay_events(&self->relay, i));
}

static void connection_begin(int client, int server)
{
    struct connection *self = calloc(1, sizeof *self);
    if (!self) {
        close(client);
        close(server);
        return;
    }
    self->side[CLIENT] = (struct event_watch){.fd = client, .ready = on_ready, .owner = self};
    self->side[SERVER] = (struct event_watch){.fd = server, .ready = on_ready, .owner = self};
    stream_relay_init(&self->relay, PUMP_SOCKETS_WITH_DESCRIPTORS, client, server);
    n_connections++;
    for (int i = 0; i < 2; i++)
        event_watch_set(&self->side[i], EPOLLIN);
}

static void on_client(struct event_watch *watch, uint32_t events)
{
    int client = accept4(watch->fd, NULL, NULL, SOCK_CLOEXEC);
    int server = client < 0 ? -1 : unix_socket_connect(server_path, SOCK_STREAM);
    if (server >= 0)
        connection_begin(client, server);
    else if (client >= 0)
        close(client);
    relay_update();
}

/* Relays connections from the socket FD (non-blocking) to the one at PATH, until the last one ends.
 */
static void relay_run(int fd, const char *path)
{
    server_path = path;
    relay_listener = (struct event_watch){.fd = fd, .ready = on_client};
    event_watch_set(&relay_listener, EPOLLIN);
    event_loop_run();
}

/* A server that ends sooner has failed; then the next start is delayed. */
#define SHORT_LIFE_MS 1000
#define PAUSE_MS 1000
/* Enough for CLIENTS_MAX connections, each with descriptors that are under way. */
#define RELAY_FILES 4096
/* The bridge's descriptors that are kept are moved to this number or above. */
#define KEPT 64

static struct x11_display kept;

static void allow_files(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) < 0)
        return;
    files.rlim_cur = files.rlim_max < RELAY_FILES ? files.rlim_max : RELAY_FILES;
    setrlimit(RLIMIT_NOFILE, &files);
}

static _Noreturn void become_relay(pid_t parent)
{
    char path[PATH_MAX];
    signals_end_with(parent);
    prctl(PR_SET_NAME, "litterbox-relay");
    allow_files();
    int listener = dup2(kept.listener, STDERR_FILENO + 1);
    /* No file is needed any more. Landlock is optional: old kernels have none. */
    if (listener >= 0 && close_range((unsigned)listener + 1, ~0u, 0) == 0 &&
        host_display_socket(path, sizeof path) == 0) {
        confine_files(NULL, 0);
        if (confine_calls(CONFINE_CONNECT) == 0) {
            relay_run(listener, path);
            _exit(0);
        }
    }
    _exit(126);
}

static pid_t start_relay(void)
{
    pid_t self = getpid(), pid = fork();
    if (pid == 0)
        become_relay(self);
    return pid;
}

static pid_t start_server(void)
{
    char path[PATH_MAX];
    const struct x11_server *server = x11_server_find(kept.has_wayland, path, sizeof path);
    return server ? x11_server_start(server, path, kept.listener, kept.cookie) : -1;
}

/* For the SERVER that was started. Its pid, or -1: not configured, or it failed. */
static pid_t start_clipboard(pid_t server)
{
    char socket[64];
    snprintf(socket, sizeof socket, "/proc/self/fd/%d/" BRIDGE_X11 "/" BRIDGE_X11_SOCKET,
             bridge.runtime);
    struct clipboard wanted = {kept.clipboard, kept.has_wayland, server, socket, kept.cookie};
    return kept.clipboard && server > 0 ? clipboard_start(&wanted) : -1;
}

static void end_clipboard(pid_t pid)
{
    if (pid <= 0)
        return;
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* Starts a server, which accepts the client itself, and waits for its end. -1 when it failed. */
static int serve_display(void)
{
    int64_t started = clock_ms();
    int status = 0;
    pid_t pid = kept.is_host ? start_relay() : start_server();
    pid_t clipboard = kept.is_host ? -1 : start_clipboard(pid);
    int ended = pid < 0 ? -1 : waitpid(pid, &status, 0);
    end_clipboard(clipboard);
    if (ended < 0)
        return -1;
    /* A relay ends with its last client. */
    if (kept.is_host && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    return clock_ms() - started < SHORT_LIFE_MS ? -1 : 0;
}

/* Clients that still wait would start the server again at once. */
static void reject_clients(void)
{
    for (int client; (client = accept4(kept.listener, NULL, NULL, SOCK_CLOEXEC)) >= 0;)
        close(client);
    poll(NULL, 0, PAUSE_MS);
}

/* Keeps two of the bridge's descriptors. It must not hold the lock. */
static int keep_descriptors(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    int listener = fcntl(kept.listener, F_DUPFD_CLOEXEC, KEPT);
    int runtime = fcntl(bridge.runtime, F_DUPFD_CLOEXEC, listener + 1);
    if (null < 0 || listener < 0 || runtime < 0 || dup2(null, STDIN_FILENO) < 0 ||
        dup2(null, STDOUT_FILENO) < 0 ||
        close_range(STDERR_FILENO + 1, (unsigned)listener - 1, 0) < 0)
        return -1;
    if (runtime > listener + 1)
        close_range((unsigned)listener + 1, (unsigned)runtime - 1, 0);
    kept.listener = listener;
    bridge.runtime = runtime;
    return close_range((unsigned)runtime + 1, ~0u, 0);
}

static _Noreturn void run_supervisor(pid_t parent)
{
    signals_reset();
    signals_end_with(parent);
    event_loop_reset();
    prctl(PR_SET_NAME, "litterbox-x11");
    if (keep_descriptors() < 0)
        _exit(1);
    struct pollfd client = {.fd = kept.listener, .events = POLLIN};
    while (poll(&client, 1, -1) >= 0) {
        if (serve_display() < 0)
            reject_clients();
    }
    _exit(1);
}

int x11_supervisor_start(const struct x11_display *display)
{
    kept = *display;
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        run_supervisor(parent);
    return pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
}
