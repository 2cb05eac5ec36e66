#include "host/bridge/wayland/wayland.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <wayland-client.h>

#include "host/bridge/core/bridge.h"
#include "net/desktop_sockets.h"
#include "net/event_loop.h"
#include "net/unix_socket.h"
#include "proto/bridge_protocol.h"

/* The name of the sandbox engine, in reverse DNS. */
#define ENGINE "dev.litterbox"

static const struct wl_message context_requests[] = {
    {"destroy", "", NULL},
    {"set_sandbox_engine", "s", (const struct wl_interface *[]){NULL}},
    {"set_app_id", "s", (const struct wl_interface *[]){NULL}},
    {"set_instance_id", "s", (const struct wl_interface *[]){NULL}},
    {"commit", "", NULL},
};
enum { CONTEXT_DESTROY, CONTEXT_ENGINE, CONTEXT_APP, CONTEXT_INSTANCE, CONTEXT_COMMIT };
static const struct wl_interface context_interface = {"wp_security_context_v1", 1, 5,
                                                      context_requests,         0, NULL};

static const struct wl_interface *listener_types[] = {&context_interface, NULL, NULL};
static const struct wl_message manager_requests[] = {
    {"destroy", "", NULL},
    {"create_listener", "nhh", listener_types},
};
enum { MANAGER_DESTROY, MANAGER_LISTENER };
static const struct wl_interface manager_interface = {
    "wp_security_context_manager_v1", 1, 2, manager_requests, 0, NULL};

/* How long a compositor may take to answer. */
#define COMPOSITOR_SECONDS 3

static struct {
    struct wl_display *display; /* NULL: not connected */
    struct wl_proxy *manager;   /* NULL: no security contexts */
    int has_clipboard;
} compositor;
static int is_private; /* wayland_begin_private() has made a security context */

static void on_global(void *data, struct wl_registry *registry, uint32_t name,
                      const char *interface, uint32_t version)
{
    if (!compositor.manager && strcmp(interface, manager_interface.name) == 0)
        compositor.manager = wl_registry_bind(registry, name, &manager_interface, 1);
    compositor.has_clipboard |=
        strcmp(interface, DATA_CONTROL_EXT) == 0 || strcmp(interface, DATA_CONTROL_WLR) == 0;
}

static void on_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

static void on_events(struct event_watch *self, uint32_t events)
{
    if (wl_display_dispatch(compositor.display) < 0)
        event_loop_quit();
}

static int read_globals(void)
{
    static const struct wl_registry_listener listener = {on_global, on_global_remove};
    struct wl_registry *registry = wl_display_get_registry(compositor.display);
    wl_registry_add_listener(registry, &listener, NULL);
    return wl_display_roundtrip(compositor.display);
}

/* To the compositor that $WAYLAND_DISPLAY names. -1: there is none. */
static int connect_compositor(void)
{
    static struct event_watch watch = {.ready = on_events};
    if (compositor.display)
        return 0;
    compositor.display = wl_display_connect(NULL);
    if (!compositor.display)
        return -1;
    if (read_globals() < 0) {
        wl_display_disconnect(compositor.display);
        memset(&compositor, 0, sizeof compositor);
        return -1;
    }
    watch.fd = wl_display_get_fd(compositor.display);
    return event_watch_set(&watch, EPOLLIN);
}

static void set(struct wl_proxy *context, uint32_t request, const char *value)
{
    wl_proxy_marshal_flags(context, request, NULL, 1, 0, value);
}

/*
 * Makes the compositor accept sandboxed clients on the listening socket LISTENER until the other
 * end of the pipe CLOSED is closed. Takes over both. -1 when it refuses.
 */
static int create_context(int listener, int closed)
{
    struct wl_proxy *context = wl_proxy_marshal_flags(
        compositor.manager, MANAGER_LISTENER, &context_interface, 1, 0, NULL, listener, closed);
    if (context) {
        set(context, CONTEXT_ENGINE, ENGINE);
        set(context, CONTEXT_APP, bridge.app_id);
        set(context, CONTEXT_INSTANCE, bridge.run);
        wl_proxy_marshal_flags(context, CONTEXT_COMMIT, NULL, 1, 0);
        wl_proxy_marshal_flags(context, CONTEXT_DESTROY, NULL, 1, WL_MARSHAL_FLAG_DESTROY);
    }
    int answered = context ? wl_display_roundtrip(compositor.display) : -1;
    close(listener);
    close(closed);
    return answered < 0 ? -1 : 0;
}

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
static enum bridge_outcome share_context(const char *name)
{
    int ends[2], listener;
    if (!compositor.manager)
        return BRIDGE_NO_CONTEXTS;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return BRIDGE_FAILED;
    listener = bridge_listen(name, SOCK_STREAM);
    return listener < 0 || create_context(listener, ends[0]) < 0 ? BRIDGE_FAILED : BRIDGE_SHARED;
}

/* libwayland has no timeout, so SIGALRM ends the worker if the compositor hangs. */
enum bridge_outcome wayland_begin(void)
{
    enum wayland_access access = bridge.settings.wayland;
    enum bridge_outcome outcome = BRIDGE_NO_DISPLAY;
    /* A bridge that was killed may have left its socket. */
    wayland_end();
    alarm(COMPOSITOR_SECONDS);
    if (access != WAYLAND_NONE && connect_compositor() == 0)
        outcome = access == WAYLAND_PLAIN ? share_plain()
                                          : share_context(BRIDGE_FOLDER "/" BRIDGE_WAYLAND);
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
    if (connect_compositor() == 0)
        outcome = share_context(BRIDGE_X11_WAYLAND);
    alarm(0);
    is_private = outcome == BRIDGE_SHARED;
    return is_private || outcome == BRIDGE_NO_CONTEXTS ? 0 : -1;
}

int wayland_has_clipboard(void)
{
    return compositor.has_clipboard;
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
