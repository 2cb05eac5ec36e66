#include "bridge/wayland.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bridge/bridge.h"
#include "bridge/loop.h"
#include "bridge/outcome.h"
#include "bridge/security_context.h"

/* How long a compositor may take to answer. */
#define COMPOSITOR_SECONDS 3

/* The compositor's own socket under a name that the box sees: a second name of the same file. */
static const char *share_plain(void)
{
    const char *name = getenv("WAYLAND_DISPLAY"), *where = getenv("XDG_RUNTIME_DIR");
    char path[PATH_MAX];
    if (!name || !*name || (*name != '/' && !where))
        return BRIDGE_NO_DISPLAY;
    snprintf(path, sizeof path, "%s%s%s", *name == '/' ? "" : where, *name == '/' ? "" : "/", name);
    return linkat(AT_FDCWD, path, bridge.folder, BRIDGE_WAYLAND, 0) < 0 ? BRIDGE_FAILED
                                                                        : BRIDGE_SHARED;
}

/* The write end of the pipe stays open as long as we live: its end is the end of the context. */
static const char *share(struct security_context *display)
{
    int ends[2], listener;
    if (!security_context_is_known(display))
        return BRIDGE_UNKNOWN;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return BRIDGE_FAILED;
    listener = bridge_listen(BRIDGE_WAYLAND, SOCK_STREAM);
    if (listener < 0 ||
        security_context_listen(display, listener, ends[0], bridge.app_id, bridge.run) < 0)
        return BRIDGE_FAILED;
    return BRIDGE_SHARED;
}

static void on_compositor(void *display, short what)
{
    if (security_context_dispatch(display) < 0)
        loop_end();
}

const char *wayland_begin(void)
{
    const char *how = bridge_option("wayland"), *outcome = BRIDGE_NO_DISPLAY;
    /* One that was killed may have left the compositor's own. */
    wayland_end();
    /* libwayland waits for answers as long as it takes: one that hangs ends us. */
    alarm(COMPOSITOR_SECONDS);
    struct security_context *display = *how ? security_context_connect() : NULL;
    if (display)
        outcome = strcmp(how, "plain") == 0 ? share_plain() : share(display);
    alarm(0);
    if (strcmp(outcome, BRIDGE_SHARED) != 0)
        wayland_end();
    if (!display)
        return outcome;
    loop_add(security_context_fd(display), POLLIN, on_compositor, display);
    return outcome;
}

void wayland_end(void)
{
    bridge_unlink(BRIDGE_WAYLAND);
}
