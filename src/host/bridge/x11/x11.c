#include "host/bridge/x11/x11.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/bridge/clipboard/clipboard.h"
#include "host/bridge/core/bridge.h"
#include "host/bridge/core/x_display.h"
#include "host/bridge/wayland/wayland.h"
#include "net/event_loop.h"
#include "proto/bridge_protocol.h"

static int folder = -1; /* that has the socket */

/* BRIDGE_SHARED when something can serve the display. */
static enum bridge_outcome check_server(const struct x11_display *display)
{
    char path[PATH_MAX], number[HOST_DISPLAY_MAX];
    if (display->is_host)
        return host_display_socket(path, sizeof path) < 0 ? BRIDGE_NO_DISPLAY : BRIDGE_SHARED;
    if (!display->has_wayland && host_display_number(number) < 0)
        return BRIDGE_NO_DISPLAY;
    return x11_server_find(display->has_wayland, path, sizeof path) ? BRIDGE_SHARED
                                                                    : BRIDGE_NO_SERVER;
}

/* The host server's cookie, or a new one. */
static int get_cookie(struct x11_display *display)
{
    size_t size = sizeof display->cookie;
    if (display->is_host && host_display_cookie(display->cookie) == 0)
        return 0;
    return getrandom(display->cookie, size, 0) == (ssize_t)size ? 0 : -1;
}

/* The display is dead; the next worker of the bridge makes another. */
static void on_supervisor_end(struct event_watch *self, uint32_t events)
{
    bridge_fail("supervisor of the X server");
}

static enum bridge_outcome make_display(struct x11_display *display)
{
    if (folder < 0 || get_cookie(display) < 0 ||
        xauthority_save(bridge.folder, BRIDGE_COOKIE, display->cookie) < 0)
        return BRIDGE_FAILED;
    display->listener = bridge_listen(BRIDGE_X11 "/" BRIDGE_X11_SOCKET, SOCK_STREAM);
    if (display->listener < 0)
        return BRIDGE_FAILED;
    static struct event_watch supervisor = {.ready = on_supervisor_end};
    supervisor.fd = x11_supervisor_start(display);
    close(display->listener);
    return supervisor.fd < 0 || event_watch_set(&supervisor, EPOLLIN) < 0 ? BRIDGE_FAILED
                                                                          : BRIDGE_SHARED;
}

enum bridge_outcome x11_begin(void)
{
    folder = openat(bridge.runtime, BRIDGE_X11, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    /* A bridge that was killed may have left them. */
    x11_end();
    if (bridge.settings.x11 == X11_NONE)
        return BRIDGE_NO_DISPLAY;
    struct x11_display display = {.is_host = bridge.settings.x11 == X11_HOST};
    if (!display.is_host)
        display.clipboard = clipboard_directions(bridge.settings.clipboard);
    display.has_wayland = !display.is_host && wayland_begin_private() == 0;
    enum bridge_outcome outcome = check_server(&display);
    if (outcome != BRIDGE_SHARED)
        return outcome;
    int is_apart = display.clipboard && display.has_wayland && !wayland_has_clipboard();
    if (is_apart)
        display.clipboard = 0;
    outcome = make_display(&display);
    return is_apart && outcome == BRIDGE_SHARED ? BRIDGE_NO_CLIPBOARD : outcome;
}

void x11_end(void)
{
    if (folder < 0)
        return;
    unlinkat(folder, BRIDGE_X11_SOCKET, 0);
    bridge_unlink(BRIDGE_COOKIE);
}
