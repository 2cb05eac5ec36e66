#include "host/bridge/x11/x11_supervisor.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/bridge/clipboard/clipboard.h"
#include "host/bridge/core/bridge.h"
#include "host/bridge/core/host_display.h"
#include "host/bridge/x11/display_relay.h"
#include "host/bridge/x11/x_server.h"
#include "net/event_loop.h"
#include "proto/bridge_status.h"
#include "sys/clock.h"
#include "sys/confine.h"
#include "sys/signals.h"

/* A server that did not live for so long failed; the next one waits for so long. */
#define SHORT_LIFE_MS 1000
#define PAUSE_MS 1000
/* A relay of PAIRS_MAX connections, with all that may be under way. */
#define RELAY_FILES 4096
/* What it keeps of the bridge's descriptors is moved to here or above. */
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
    /* No file is needed any more; a kernel without Landlock goes without. */
    if (listener >= 0 && close_range((unsigned)listener + 1, ~0u, 0) == 0 &&
        host_display_socket(path, sizeof path) == 0) {
        confine_files(NULL, 0);
        if (confine_calls(CONFINE_CONNECT) == 0) {
            display_relay_run(listener, path);
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

/* Beside a SERVER that has been started; its pid, or -1: none is wanted, or to be had. */
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

/* Until it has ended. What serves the display accepts the client itself. -1: it failed. */
static int serve(void)
{
    int64_t started = clock_ms();
    int status = 0;
    pid_t pid = kept.is_host ? start_relay() : start_server();
    pid_t clipboard = kept.is_host ? -1 : start_clipboard(pid);
    int ended = pid < 0 ? -1 : waitpid(pid, &status, 0);
    end_clipboard(clipboard);
    if (ended < 0)
        return -1;
    /* A relay is done as soon as its clients are. */
    if (kept.is_host && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    return clock_ms() - started < SHORT_LIFE_MS ? -1 : 0;
}

/* The clients that wait are told that there is nothing: or they would start it again at once. */
static void turn_away(void)
{
    for (int client; (client = accept4(kept.listener, NULL, NULL, SOCK_CLOEXEC)) >= 0;)
        close(client);
    poll(NULL, 0, PAUSE_MS);
}

/* Of the bridge's descriptors it has two: the lock, above all, is not among them. */
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

static _Noreturn void work(pid_t parent)
{
    signals_reset();
    signals_end_with(parent);
    event_loop_reset();
    prctl(PR_SET_NAME, "litterbox-x11");
    if (keep_descriptors() < 0)
        _exit(1);
    struct pollfd client = {.fd = kept.listener, .events = POLLIN};
    while (poll(&client, 1, -1) >= 0) {
        if (serve() < 0)
            turn_away();
    }
    _exit(1);
}

int x11_keeper_start(const struct x11_display *display)
{
    kept = *display;
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        work(parent);
    return pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
}
