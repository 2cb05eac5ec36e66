#include "host/bridge/wayland/wayland.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bridge/bridge.h"
#include "bridge/loop.h"
#include "bridge/outcome.h"
#include "host/bridge/wayland/security_context.h"
#include "common/wayland_socket.h"

/* How long a compositor may take to answer. */
#define COMPOSITOR_SECONDS 3

static struct security_context *display;
static int is_private; /* a context of its own is there for what we start */

/* The compositor's own socket under a name that the box sees: a second name of the same file, which
 * a link to it would not be. */
static const char *share_plain(void)
{
    char path[PATH_MAX];
    if (wayland_socket_path(path, sizeof path) < 0)
        return BRIDGE_NO_DISPLAY;
    return linkat(AT_FDCWD, path, bridge.folder, BRIDGE_WAYLAND, AT_SYMLINK_FOLLOW) < 0
               ? BRIDGE_FAILED
               : BRIDGE_SHARED;
}

/* The write end of the pipe stays open as long as we live: its end is the end of the context. */
static const char *share(int folder, const char *subfolder, const char *name)
{
    int ends[2], listener;
    if (!security_context_is_known(display))
        return BRIDGE_UNKNOWN;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return BRIDGE_FAILED;
    listener = bridge_listen_in(folder, subfolder, name, SOCK_STREAM);
    if (listener < 0 ||
        security_context_listen(display, listener, ends[0], bridge.app_id, bridge.run) < 0)
        return BRIDGE_FAILED;
    return BRIDGE_SHARED;
}

static void on_compositor(void *owner, short what)
{
    if (security_context_dispatch(display) < 0)
        loop_end();
}

static int connect_display(void)
{
    if (display)
        return 0;
    display = security_context_connect();
    return display ? loop_add(security_context_fd(display), POLLIN, on_compositor, NULL) : -1;
}

/* libwayland waits for answers as long as it takes: a compositor that hangs ends us. */
const char *wayland_begin(void)
{
    const char *how = bridge_option("wayland"), *outcome = BRIDGE_NO_DISPLAY;
    /* One that was killed may have left the compositor's own. */
    wayland_end();
    alarm(COMPOSITOR_SECONDS);
    if (*how && connect_display() == 0)
        outcome = strcmp(how, "plain") == 0 ? share_plain()
                                            : share(bridge.folder, BRIDGE_FOLDER, BRIDGE_WAYLAND);
    alarm(0);
    if (strcmp(outcome, BRIDGE_SHARED) != 0)
        wayland_end();
    return outcome;
}

/* A context that the compositor knows of and refuses is no reason to do without. */
int wayland_begin_private(void)
{
    const char *outcome = BRIDGE_NO_DISPLAY;
    alarm(COMPOSITOR_SECONDS);
    if (connect_display() == 0)
        outcome = share(bridge.runtime, ".", BRIDGE_X11_WAYLAND);
    alarm(0);
    is_private = strcmp(outcome, BRIDGE_SHARED) == 0;
    return is_private || strcmp(outcome, BRIDGE_UNKNOWN) == 0 ? 0 : -1;
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
    else if (wayland_socket_path(path, sizeof path) < 0)
        return -1;
    return bridge_connect(path);
}

void wayland_end(void)
{
    bridge_unlink(BRIDGE_WAYLAND);
}
