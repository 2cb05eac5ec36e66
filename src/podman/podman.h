/*
 * A connection to Podman's libpod REST API over a Unix socket.
 *
 * libcurl is loaded with dlopen by podman_connect(), so that a command that needs no Podman does
 * not pay for it. Everything that Podman answers is treated as hostile: sizes have ceilings, JSON
 * is parsed with bounds, text goes through text_safe() before it is put into an error.
 *
 * Podman's libpod API v4.0.0 is what is spoken; 4.3 to 6 serve it.
 */
#pragma once

#include <glib.h>
#include <jansson.h>

#include "common/error.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(json_t, json_decref)

typedef struct podman podman;

/* Ceiling of one reply that is held in memory (an inspect, a list). */
#define PODMAN_REPLY_MAX (16 << 20)

/*
 * Finds a Podman service and connects: CONTAINER_HOST (unix: only), else the user's systemd socket
 * ($XDG_RUNTIME_DIR/podman/podman.sock, started through systemctl when it is down and systemd is
 * there), else our own private service, started under a lock, which ends by itself when idle.
 * Fails with BOX_ERROR_UNREACHABLE and a sentence that says what to do. Costs one round trip (a
 * ping, which also tells the version); its connection is kept for the calls to come. A service that
 * ends or is killed later is started again by the next call.
 */
podman *podman_connect(GError **error);
void podman_free(podman *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(podman, podman_free)

/* The socket in use, for doctor and messages. Owned by SELF. */
const char *podman_socket(const podman *self);

/*
 * Makes every call that is under way or comes later fail with BOX_ERROR_CANCELLED, until reset.
 * Safe in a signal handler.
 */
void podman_cancel(void);
void podman_cancel_reset(void);

/*
 * One call: METHOD on /v4.0.0/libpod followed by PATH (already URL-encoded, with its query; see
 * podman_path). BODY may be NULL. On success returns TRUE and stores the parsed reply in *REPLY
 * (NULL when it is empty; REPLY may be NULL). An HTTP status of 400 or more is an error made from
 * Podman's "cause" and "message" (errors.h). 304 (already so) is success. A locked database is
 * tried again for some seconds, unless METHOD is POST. When Podman is silent for 30 seconds in a
 * GET, for 15 minutes in anything else (it may copy an image), the error is BOX_ERROR_UNREACHABLE.
 */
gboolean podman_call(podman *self, const char *method, const char *path, json_t *body,
                     json_t **reply, GError **error);

/* printf that URL-encodes every %s argument; only %s and %d are known. */
char *podman_path(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* Server version as "4.3.1"; costs no call. NULL with ERROR. Owned by SELF. */
const char *podman_version(podman *self, GError **error);
/* TRUE when the server's version is at least MAJOR.MINOR; FALSE also when it is not known. */
gboolean podman_at_least(podman *self, int major, int minor);

/* GET /info, for doctor. */
json_t *podman_info(podman *self, GError **error);
