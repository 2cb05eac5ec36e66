#include "host/bridge/x11/x11.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bridge/bridge.h"
#include "host/bridge/core/host_display.h"
#include "bridge/loop.h"
#include "bridge/outcome.h"
#include "host/bridge/wayland/wayland.h"
#include "host/bridge/x11/x11_supervisor.h"
#include "host/bridge/x11/x_server.h"
#include "host/bridge/clipboard/clipboard.h"

static int folder = -1; /* of the socket */

/* BRIDGE_SHARED when there is what could serve the display. */
static const char *look(const struct x11_display *display)
{
    char path[PATH_MAX], number[HOST_DISPLAY_MAX];
    if (display->is_host)
        return host_display_socket(path, sizeof path) < 0 ? BRIDGE_NO_DISPLAY : BRIDGE_SHARED;
    if (!display->has_wayland && host_display_number(number) < 0)
        return BRIDGE_NO_DISPLAY;
    return x11_server_find(display->has_wayland, path, sizeof path) ? BRIDGE_SHARED
                                                                    : BRIDGE_NO_SERVER;
}

/* The host's, which lets nobody further who has not got it, or one of our own. */
static int get_cookie(struct x11_display *display)
{
    size_t size = sizeof display->cookie;
    if (display->is_host && host_display_cookie(display->cookie) == 0)
        return 0;
    return getrandom(display->cookie, size, 0) == (ssize_t)size ? 0 : -1;
}

/* Without it the display is dead; the next bridge makes another. */
static void on_keeper_end(void *owner, short what)
{
    loop_end();
}

static const char *make(struct x11_display *display)
{
    if (folder < 0 || get_cookie(display) < 0 ||
        xauthority_save(bridge.folder, BRIDGE_COOKIE, display->cookie) < 0)
        return BRIDGE_FAILED;
    display->listener = bridge_listen_in(folder, BRIDGE_X11, BRIDGE_X11_SOCKET, SOCK_STREAM);
    if (display->listener < 0)
        return BRIDGE_FAILED;
    int keeper = x11_keeper_start(display);
    close(display->listener);
    return keeper < 0 || loop_add(keeper, POLLIN, on_keeper_end, NULL) < 0 ? BRIDGE_FAILED
                                                                           : BRIDGE_SHARED;
}

const char *x11_begin(void)
{
    const char *how = bridge_option("x11");
    folder = openat(bridge.runtime, BRIDGE_X11, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    /* One that was killed may have left its own. */
    x11_end();
    if (!*how)
        return BRIDGE_NO_DISPLAY;
    struct x11_display display = {.is_host = strcmp(how, "host") == 0};
    if (!display.is_host)
        display.clipboard = clipboard_directions(bridge_option("clipboard"));
    display.has_wayland = !display.is_host && wayland_begin_private() == 0;
    const char *outcome = look(&display);
    if (strcmp(outcome, BRIDGE_SHARED) != 0)
        return outcome;
    int is_apart = display.clipboard && display.has_wayland && !wayland_has_clipboard();
    if (is_apart)
        display.clipboard = 0;
    outcome = make(&display);
    return is_apart && strcmp(outcome, BRIDGE_SHARED) == 0 ? BRIDGE_APART : outcome;
}

void x11_end(void)
{
    if (folder < 0)
        return;
    unlinkat(folder, BRIDGE_X11_SOCKET, 0);
    bridge_unlink(BRIDGE_COOKIE);
}
