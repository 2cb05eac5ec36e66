/*
 * A connection to Podman's libpod REST API over a Unix socket.
 *
 * podman_connect() loads libcurl with dlopen, so that commands that do not need Podman do not pay
 * for it. All of Podman's replies are treated as hostile: sizes have limits, JSON parsing is
 * bounded, and text goes through text_safe() before it becomes part of an error.
 *
 * The API version is libpod v4.0.0, which Podman 4.3 to 6 serve.
 */
#pragma once

#include <glib.h>
#include <jansson.h>

#include "common/error.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(json_t, json_decref)

typedef struct podman_client podman_client;

/* Bytes of one reply that is held in memory, such as an inspect or a list. */
#define PODMAN_REPLY_MAX (16 << 20)

/*
 * Finds a Podman service (service.h says where) and connects to it. Costs one round trip, which
 * also tells the version; later calls reuse the connection. When the service ends or is killed, the
 * next call starts it again. Fails with BOX_ERROR_UNREACHABLE and a message that says what to do.
 */
podman_client *podman_connect(GError **error);
void podman_free(podman_client *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(podman_client, podman_free)

/* The socket in use, for messages. Owned by SELF. */
const char *podman_socket(const podman_client *self);

/*
 * Makes all calls, current and later, fail with BOX_ERROR_CANCELLED until the reset.
 * Async-signal-safe. The flag is the only process-wide state of src/podman.
 */
void podman_cancel(void);
void podman_cancel_reset(void);

/*
 * One call: METHOD on /v4.0.0/libpod followed by PATH, which is URL-encoded with its query (see
 * podman_path()). BODY may be NULL. On success returns TRUE and stores the parsed reply in *REPLY;
 * NULL when it is empty. REPLY may be NULL. An HTTP status of 400 or more is an error that is made
 * from Podman's "cause" and "message" (reply_set_error()); 304 is success, for the state is as
 * wanted. While Podman's database is locked the call is repeated for about three seconds, unless
 * METHOD is POST. The error is BOX_ERROR_UNREACHABLE when Podman is silent for 30 seconds in a GET,
 * or 15 minutes in any other call, which may copy an image.
 */
gboolean podman_call(podman_client *self, const char *method, const char *path, json_t *body,
                     json_t **reply, GError **error);

/* printf that URL-encodes every %s argument; it knows only %s and %d. */
char *podman_path(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* Server version as "4.3.1", without a call. NULL with ERROR. Owned by SELF. */
const char *podman_version(podman_client *self, GError **error);
/* TRUE when the server's version is at least MAJOR.MINOR; FALSE also when it is unknown. */
gboolean podman_at_least(podman_client *self, int major, int minor);

/* GET /info. */
json_t *podman_info(podman_client *self, GError **error);

/* One step of a pull or a build. */
typedef struct {
    const char *text;   /* a line from Podman or a build's program, NOT safe; valid in the call */
    int step, steps;    /* "STEP 3/9"; 0: unknown */
    gint64 bytes;       /* sent so far; -1: unknown */
    gboolean is_repeat; /* TEXT was reported before; only time has passed */
} podman_progress;
typedef void (*podman_progress_func)(const podman_progress *progress, gpointer user_data);
