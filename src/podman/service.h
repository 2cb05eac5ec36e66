/*
 * Finds Podman's service, or starts one, and connects to it. The order:
 *
 *  1. CONTAINER_HOST, when set, and nothing else (unix: only);
 *  2. the user's own $XDG_RUNTIME_DIR/podman/podman.sock, started through systemd when it is down;
 *  3. a private service of ours, which ends by itself when nobody used it for a while.
 */
#pragma once

#include <glib.h>

typedef struct service service;

service *service_new(void);
void service_free(service *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(service, service_free)

/* Returns a connected descriptor; -1 with BOX_ERROR_UNREACHABLE and what to do. */
int service_open(service *self, GError **error);

/* The socket of the last connection; NULL before the first. */
const char *service_socket(const service *self);

/* After a connection that broke: what the service said last, or where to look. Safe to show; NULL
 * when there is nothing to say. */
char *service_advice(const service *self);
