#include "host/bridge/wayland/security_context.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wayland-client.h>

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

struct security_context {
    struct wl_display *display;
    struct wl_proxy *manager;
    int has_clipboard;
};

static void on_global(void *data, struct wl_registry *registry, uint32_t name,
                      const char *interface, uint32_t version)
{
    struct security_context *self = data;
    if (!self->manager && strcmp(interface, manager_interface.name) == 0)
        self->manager = wl_registry_bind(registry, name, &manager_interface, 1);
    self->has_clipboard |=
        strcmp(interface, DATA_CONTROL_EXT) == 0 || strcmp(interface, DATA_CONTROL_WLR) == 0;
}

static void on_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

struct security_context *security_context_connect(void)
{
    static const struct wl_registry_listener listener = {on_global, on_global_remove};
    struct security_context *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    self->display = wl_display_connect(NULL);
    if (!self->display) {
        free(self);
        return NULL;
    }
    struct wl_registry *registry = wl_display_get_registry(self->display);
    wl_registry_add_listener(registry, &listener, self);
    if (wl_display_roundtrip(self->display) >= 0)
        return self;
    security_context_free(self);
    return NULL;
}

void security_context_free(struct security_context *self)
{
    wl_display_disconnect(self->display);
    free(self);
}

int security_context_is_known(const struct security_context *self)
{
    return self->manager != NULL;
}

int security_context_has_clipboard(const struct security_context *self)
{
    return self->has_clipboard;
}

static void set(struct wl_proxy *context, uint32_t request, const char *value)
{
    wl_proxy_marshal_flags(context, request, NULL, 1, 0, value);
}

int security_context_listen(struct security_context *self, int listener, int closed,
                            const char *app_id, const char *instance_id)
{
    struct wl_proxy *context = wl_proxy_marshal_flags(
        self->manager, MANAGER_LISTENER, &context_interface, 1, 0, NULL, listener, closed);
    if (context) {
        set(context, CONTEXT_ENGINE, ENGINE);
        set(context, CONTEXT_APP, app_id);
        set(context, CONTEXT_INSTANCE, instance_id);
        wl_proxy_marshal_flags(context, CONTEXT_COMMIT, NULL, 1, 0);
        wl_proxy_marshal_flags(context, CONTEXT_DESTROY, NULL, 1, WL_MARSHAL_FLAG_DESTROY);
    }
    int answered = context ? wl_display_roundtrip(self->display) : -1;
    close(listener);
    close(closed);
    return answered < 0 ? -1 : 0;
}

int security_context_fd(const struct security_context *self)
{
    return wl_display_get_fd(self->display);
}

int security_context_dispatch(struct security_context *self)
{
    return wl_display_dispatch(self->display) < 0 ? -1 : 0;
}
