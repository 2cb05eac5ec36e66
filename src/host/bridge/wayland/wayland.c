#include "host/bridge/wayland/wayland.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/bridge/core/bridge.h"
#include "host/bridge/wayland/security_context.h"
#include "net/desktop_sockets.h"
#include "net/event_loop.h"
#include "net/unix_socket.h"
#include "proto/bridge_protocol.h"

/* How long a compositor may take to answer. */
#define COMPOSITOR_SECONDS 3

static struct security_context *display;
static int is_private; /* wayland_begin_private() has made a security context */

/* Gives the compositor's own socket a name in the mounted folder: a hard link, as the box could not
 * resolve a symbolic one. */
static enum bridge_outcome share_plain(void)
{
    char path[PATH_MAX];
    if (desktop_wayland_socket(path, sizeof path) < 0)
        return BRIDGE_NO_DISPLAY;
    return linkat(AT_FDCWD, path, bridge.folder, BRIDGE_WAYLAND, AT_SYMLINK_FOLLOW) < 0
               ? BRIDGE_FAILED
               : BRIDGE_SHARED;
}

/* We keep the write end of the pipe open: the context ends with this process. */
static enum bridge_outcome share(const char *name)
{
    int ends[2], listener;
    if (!security_context_is_known(display))
        return BRIDGE_NO_CONTEXTS;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return BRIDGE_FAILED;
    listener = bridge_listen(name, SOCK_STREAM);
    if (listener < 0 ||
        security_context_listen(display, listener, ends[0], bridge.app_id, bridge.run) < 0)
        return BRIDGE_FAILED;
    return BRIDGE_SHARED;
}

static void on_compositor(struct event_watch *self, uint32_t events)
{
    if (security_context_dispatch(display) < 0)
        event_loop_quit();
}

static int connect_display(void)
{
    if (display)
        return 0;
    static struct event_watch compositor = {.ready = on_compositor};
    display = security_context_connect();
    compositor.fd = display ? security_context_fd(display) : -1;
    return display ? event_watch_set(&compositor, EPOLLIN) : -1;
}

/* libwayland has no timeout, so SIGALRM ends the worker if the compositor hangs. */
enum bridge_outcome wayland_begin(void)
{
    enum wayland_access access = bridge.settings.wayland;
    enum bridge_outcome outcome = BRIDGE_NO_DISPLAY;
    /* A bridge that was killed may have left its socket. */
    wayland_end();
    alarm(COMPOSITOR_SECONDS);
    if (access != WAYLAND_NONE && connect_display() == 0)
        outcome = access == WAYLAND_PLAIN ? share_plain() : share(BRIDGE_FOLDER "/" BRIDGE_WAYLAND);
    alarm(0);
    if (outcome != BRIDGE_SHARED)
        wayland_end();
    return outcome;
}

/* If the compositor has security contexts but refuses one, its own socket is not used instead. */
int wayland_begin_private(void)
{
    enum bridge_outcome outcome = BRIDGE_NO_DISPLAY;
    alarm(COMPOSITOR_SECONDS);
    if (connect_display() == 0)
        outcome = share(BRIDGE_X11_WAYLAND);
    alarm(0);
    is_private = outcome == BRIDGE_SHARED;
    return is_private || outcome == BRIDGE_NO_CONTEXTS ? 0 : -1;
}

int wayland_has_clipboard(void)
{
    return display && security_context_has_clipboard(display);
}

int wayland_connect_private(void)
{
    char path[PATH_MAX];
    if (is_private)
        snprintf(path, sizeof path, "/proc/self/fd/%d/" BRIDGE_X11_WAYLAND, bridge.runtime);
    else if (desktop_wayland_socket(path, sizeof path) < 0)
        return -1;
    return unix_socket_connect(path, SOCK_STREAM);
}

void wayland_end(void)
{
    bridge_unlink(BRIDGE_WAYLAND);
}
