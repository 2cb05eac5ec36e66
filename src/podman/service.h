/*
 * Finds Podman's service, or starts one. The order:
 *
 *  1. CONTAINER_HOST, when set, and nothing else (unix: only);
 *  2. the user's own $XDG_RUNTIME_DIR/podman/podman.sock, started through systemd when neither it
 *     nor a private service is up;
 *  3. a private service of ours, which ends by itself when nobody has used it for a while.
 *
 * Nothing is probed: Podman complains in its log about connections that ask nothing. The caller
 * connects to what service_socket() names, and calls service_refused() when that fails.
 */
#pragma once

#include <glib.h>

typedef struct service service;

/* NULL with BOX_ERROR_UNREACHABLE when there is nothing to be found, and what to do. */
service *service_new(GError **error);
/* One at PATH, which is there already and logs to LOG. */
service *service_at(const char *path, const char *log, GError **error);
void service_free(service *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(service, service_free)

/* TRUE when the user named the service: it may be on another machine, or in a container. */
gboolean service_is_given(const service *self);

/* The socket to connect to, for people. */
const char *service_socket(const service *self);
/* The same, in a form that is short enough for connect(). */
const char *service_address(const service *self);

/*
 * The connection failed with the errno NUMBER. TRUE when it is worth trying again: the service has
 * been started, or it is the next one's turn. Else BOX_ERROR_UNREACHABLE, and what to do.
 */
gboolean service_refused(service *self, int number, GError **error);

/* After a connection that broke: what the service said last, or where to look. Safe to show; NULL
 * when there is nothing to say. */
char *service_advice(const service *self);
