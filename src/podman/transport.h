/*
 * Runs one HTTP request at a time over a Unix socket. Knows nothing of Podman.
 *
 * Replies are treated as hostile: the header and the reply held in memory have size limits, silence
 * has a time limit, redirects and other protocols are off. podman_cancel() ends a request at once.
 */
#pragma once

#include "podman/http.h"

/* How often a request's tick function is called, in milliseconds. */
#define TRANSPORT_TICK_MS 200

typedef struct transport transport;

transport *transport_new(GError **error);
void transport_free(transport *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(transport, transport_free)

/*
 * TRUE when a complete reply came, whatever its status. Otherwise BOX_ERROR_UNREACHABLE (no
 * connection, it broke, silence), BOX_ERROR_PROTOCOL (no HTTP, over a limit), BOX_ERROR_CANCELLED,
 * or the error of the chunk function. The caller clears REPLY in any case.
 */
gboolean transport_perform(transport *self, const http_request *request, http_reply *reply,
                           GError **error);

/* A descriptor that is readable after podman_cancel(); -1 before the first transport_new(). */
int cancel_fd(void);
/* TRUE with BOX_ERROR_CANCELLED between podman_cancel() and podman_cancel_reset(). */
gboolean cancel_check(GError **error);
