#include "host/bridge/clipboard/clipboard.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "host/bridge/clipboard/data_control.h"
#include "host/bridge/clipboard/selection.h"
#include "host/bridge/clipboard/x11_requests.h"
#include "host/bridge/core/x_display.h"
#include "net/event_loop.h"
#include "net/unix_socket.h"
#include "sys/confine.h"
#include "sys/descriptors.h"
#include "sys/signals.h"

/* The time for both servers to answer: the box's is just starting. */
#define BEGIN_SECONDS 30

/* At most about 300 MiB can be in transfer at a time, in contents of CLIP_MAX. */
#define MEMORY_MAX ((rlim_t)512 << 20)

static struct exchange rules;
static struct x11_selection box = {.exchange = &rules, .end = EXCHANGE_BOX};
static struct x11_selection desktop = {.exchange = &rules, .end = EXCHANGE_HOST};
static int short_lived = -1; /* a second connection to the box's server */
static int has_wayland;

/*
 * On an X11 desktop: whether the window of the box's X server has the keyboard. The desktop's
 * server says which process made the focused window; any program could fake a title or a class.
 * Wayland does not tell this.
 */

#define SERVERS_MAX 8

/* A second connection, on which blocking requests are made. */
static struct x11_connection focus_connection;
static uint8_t resource; /* opcode of X-Resource */
static uint32_t servers[SERVERS_MAX];
static int n_servers;

/* FD: a connected socket to the desktop's X server, taken over. Waits. -1: the focus cannot be
 * known. */
static int focus_begin(int fd, const unsigned char *cookie)
{
    if (x11_connection_begin(&focus_connection, fd, cookie) < 0 ||
        x11_connection_wait_setup(&focus_connection) < 0)
        return -1;
    resource = x11_query_extension(&focus_connection, "X-Resource", NULL);
    return resource ? 0 : -1;
}

/* SERVER or a child of it (litterbox-wm's) is the box's X server. A kernel without this file in
 * /proc shows none: then nothing is shared. */
static void focus_set_server(pid_t server)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)server, (int)server);
    servers[n_servers++] = (uint32_t)server;
    FILE *children = fopen(path, "re");
    while (children && n_servers < SERVERS_MAX && fscanf(children, "%u", &servers[n_servers]) == 1)
        n_servers++;
    if (children)
        fclose(children);
}

static int focus_is_in_box(void)
{
    uint32_t window = x11_get_focus_window(&focus_connection);
    uint32_t pid = window == X11_NONE ? 0 : x11_res_query_pid(&focus_connection, resource, window);
    for (int i = 0; pid && i < n_servers; i++) {
        if (servers[i] == pid)
            return 1;
    }
    return 0;
}

unsigned clipboard_directions(enum clipboard_access access)
{
    switch (access) {
    case CLIPBOARD_TO_BOX:
        return EXCHANGE_TO_BOX;
    case CLIPBOARD_FROM_BOX:
        return EXCHANGE_FROM_BOX;
    case CLIPBOARD_BOTH:
        return EXCHANGE_TO_BOX | EXCHANGE_FROM_BOX;
    case CLIPBOARD_NONE:
        break;
    }
    return 0;
}

static int always_allowed(void)
{
    return 1;
}

static int sooner(int one, int other)
{
    return one < 0 || (other >= 0 && other < one) ? other : one;
}

static int run_due(int64_t now)
{
    int next = sooner(exchange_due(&rules, now), selection_due(&box, now));
    return sooner(next, has_wayland ? data_control_due(now) : selection_due(&desktop, now));
}

/* Twice, as each may set a deadline of another. */
static int on_time(int64_t now)
{
    run_due(now);
    int next = run_due(now);
    selection_flush(&box);
    if (has_wayland)
        data_control_flush();
    else
        selection_flush(&desktop);
    return next;
}

static int connect_desktop(void)
{
    char path[PATH_MAX];
    return host_display_socket(path, sizeof path) < 0 ? -1 : unix_socket_connect(path, SOCK_STREAM);
}

static int begin_x11(void)
{
    unsigned char bytes[XAUTHORITY_COOKIE], *cookie = bytes;
    if (host_display_cookie(bytes) < 0)
        cookie = NULL;
    int one = connect_desktop(), other = connect_desktop();
    desktop.reads = !!(rules.directions & EXCHANGE_TO_BOX);
    rules.ends[EXCHANGE_HOST] = selection_port(&desktop);
    rules.may_read = rules.may_write = focus_is_in_box;
    if (one < 0 || other < 0 || x11_connection_begin(&desktop.connection, one, cookie) < 0 ||
        selection_begin(&desktop) < 0)
        return -1;
    return focus_begin(other, cookie);
}

static int begin_wayland(void)
{
    rules.ends[EXCHANGE_HOST] = data_control_port();
    rules.may_read = rules.may_write = always_allowed;
    return data_control_begin(&rules, !!(rules.directions & EXCHANGE_TO_BOX));
}

/* Keeps no other descriptor of the parent. */
static int connect_box(const struct clipboard *wanted)
{
    int fd = unix_socket_connect(wanted->socket, SOCK_STREAM);
    short_lived = unix_socket_connect(wanted->socket, SOCK_STREAM);
    int keep[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, fd, short_lived};
    descriptors_keep(keep, sizeof keep / sizeof *keep);
    if (fd < 0 || short_lived < 0)
        return -1;
    rules.ends[EXCHANGE_BOX] = selection_port(&box);
    box.reads = !!(rules.directions & EXCHANGE_FROM_BOX);
    return x11_connection_begin(&box.connection, fd, wanted->cookie);
}

/* The server is up when it answers. The answer is not parsed yet: we are not confined. */
static int await_box(void)
{
    struct pollfd answer = {.fd = box.connection.fd, .events = POLLIN};
    return poll(&answer, 1, -1) == 1 ? 0 : -1;
}

/* From here on this process reads data from the box. */
static int confine(void)
{
    struct rlimit memory = {MEMORY_MAX, MEMORY_MAX};
    confine_harden();
    confine_files(NULL, 0); /* optional: the system call filter already forbids opening files */
    return setrlimit(RLIMIT_AS, &memory) < 0 ? -1 : confine_calls(0);
}

/*
 * The server checks whether it can end only when a client disconnects. The box's last client may
 * have left before we asked not to be counted, so a second client connects and disconnects.
 */
static int begin_box(const unsigned char *cookie)
{
    struct x11_connection client;
    if (selection_begin(&box) < 0 || x11_connection_begin(&client, short_lived, cookie) < 0 ||
        x11_connection_wait_setup(&client) < 0)
        return -1;
    byte_queue_clear(&client.in);
    byte_queue_clear(&client.out);
    return close(short_lived);
}

static int begin(const struct clipboard *wanted)
{
    rules.directions = wanted->directions;
    has_wayland = wanted->has_wayland;
    exchange_begin(&rules);
    if (connect_box(wanted) < 0 || (has_wayland ? begin_wayland() : begin_x11()) < 0 ||
        await_box() < 0)
        return -1;
    if (!has_wayland)
        focus_set_server(wanted->server);
    return confine() < 0 ? -1 : begin_box(wanted->cookie);
}

static _Noreturn void run_clipboard(pid_t parent, const struct clipboard *wanted)
{
    signals_end_with(parent);
    prctl(PR_SET_NAME, "litterbox-clip");
    signal(SIGPIPE, SIG_IGN);
    event_loop_reset();
    event_loop_prepare(on_time);
    alarm(BEGIN_SECONDS);
    int done = begin(wanted);
    alarm(0);
    if (done < 0) {
        fprintf(stderr, "litterbox-bridge: the box's X server and the desktop have no clipboard in "
                        "common\n");
        _exit(1);
    }
    event_loop_run();
    _exit(0);
}

pid_t clipboard_start(const struct clipboard *wanted)
{
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        run_clipboard(parent, wanted);
    return pid;
}
