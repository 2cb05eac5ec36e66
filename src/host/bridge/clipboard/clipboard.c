#include "host/bridge/clipboard/clipboard.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "host/bridge/clipboard/data_control.h"
#include "host/bridge/clipboard/focus.h"
#include "host/bridge/clipboard/xside.h"
#include "host/bridge/core/host_display.h"
#include "host/bridge/core/xauthority.h"
#include "net/event_loop.h"
#include "net/unix_socket.h"
#include "sys/confine.h"
#include "sys/descriptors.h"
#include "sys/signals.h"

/* How long both servers may take to begin with: the box's is just starting. */
#define BEGIN_SECONDS 30

/* All that can be under way at a time is some 300 MiB, of CLIP_MAX each. */
#define MEMORY_MAX ((rlim_t)512 << 20)

static struct exchange rules;
static struct xside box = {.exchange = &rules, .end = EXCHANGE_BOX};
static struct xside desktop = {.exchange = &rules, .end = EXCHANGE_HOST};
static int passing = -1; /* another connection to the box's server */
static int has_wayland;

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

static int is_unknown(void)
{
    return 1;
}

static int sooner(int one, int other)
{
    return one < 0 || (other >= 0 && other < one) ? other : one;
}

static int look(int64_t now)
{
    int next = sooner(exchange_due(&rules, now), xside_due(&box, now));
    return sooner(next, has_wayland ? data_control_due(now) : xside_due(&desktop, now));
}

/* What one does may give another something to wait for: so it is looked at twice. */
static int on_time(int64_t now)
{
    look(now);
    int next = look(now);
    xside_flush(&box);
    if (has_wayland)
        data_control_flush();
    else
        xside_flush(&desktop);
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
    desktop.reads = !!(rules.may & EXCHANGE_TO_BOX);
    rules.ends[EXCHANGE_HOST] = xside_port(&desktop);
    rules.may_read = rules.may_write = focus_is_there;
    if (one < 0 || other < 0 || xlink_greet(&desktop.link, one, cookie) < 0 ||
        xside_begin(&desktop) < 0)
        return -1;
    return focus_begin(other, cookie);
}

static int begin_wayland(void)
{
    rules.ends[EXCHANGE_HOST] = data_control_port();
    rules.may_read = rules.may_write = is_unknown;
    return data_control_begin(&rules, !!(rules.may & EXCHANGE_TO_BOX));
}

/* All else that its parent had open is closed. */
static int connect_box(const struct clipboard *wanted)
{
    int fd = unix_socket_connect(wanted->socket, SOCK_STREAM);
    passing = unix_socket_connect(wanted->socket, SOCK_STREAM);
    int keep[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, fd, passing};
    descriptors_keep(keep, sizeof keep / sizeof *keep);
    if (fd < 0 || passing < 0)
        return -1;
    rules.ends[EXCHANGE_BOX] = xside_port(&box);
    box.reads = !!(rules.may & EXCHANGE_FROM_BOX);
    return xlink_greet(&box.link, fd, wanted->cookie);
}

/* Once it answers it is there; what it answers is not looked at yet. */
static int await_box(void)
{
    struct pollfd answer = {.fd = box.link.fd, .events = POLLIN};
    return poll(&answer, 1, -1) == 1 ? 0 : -1;
}

/* From here on it reads what the box writes. */
static int confine(void)
{
    struct rlimit memory = {MEMORY_MAX, MEMORY_MAX};
    confine_harden();
    confine_files(NULL, 0); /* a kernel without Landlock goes without: no call opens a way out */
    return setrlimit(RLIMIT_AS, &memory) < 0 ? -1 : confine_calls(0);
}

/*
 * A server looks for clients that count when one leaves. The last of those may have left before it
 * was told that we do not: so another one comes, and goes.
 */
static int begin_box(const unsigned char *cookie)
{
    struct xlink client;
    if (xside_begin(&box) < 0 || xlink_greet(&client, passing, cookie) < 0 ||
        xlink_welcome(&client) < 0)
        return -1;
    byte_queue_clear(&client.in);
    byte_queue_clear(&client.out);
    return close(passing);
}

static int begin(const struct clipboard *wanted)
{
    rules.may = wanted->may;
    has_wayland = wanted->has_wayland;
    exchange_begin(&rules);
    if (connect_box(wanted) < 0 || (has_wayland ? begin_wayland() : begin_x11()) < 0 ||
        await_box() < 0)
        return -1;
    if (!has_wayland)
        focus_of(wanted->server);
    return confine() < 0 ? -1 : begin_box(wanted->cookie);
}

static _Noreturn void work(pid_t parent, const struct clipboard *wanted)
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
        work(parent, wanted);
    return pid;
}
