/*
 * One HTTP request at a time over a Unix socket, with libcurl. Knows nothing of Podman.
 *
 * What comes back is hostile: header bytes and the reply held in memory have ceilings, silence has
 * a limit, redirects and other protocols are off. podman_cancel() ends a request at once.
 */
#pragma once

#include <glib.h>

/* Ceiling of all header lines of one reply together. */
#define TRANSPORT_HEADERS_MAX (64 << 10)
/* How often TICK is called while a request runs, in milliseconds. */
#define TRANSPORT_TICK_MS 200

typedef struct transport transport;

/* A piece of the reply. FALSE with ERROR ends the request with that error. */
typedef gboolean (*transport_chunk_func)(const char *data, gsize length, gpointer user_data,
                                         GError **error);
/* SENT bytes of the body are on their way. */
typedef void (*transport_tick_func)(gint64 sent, gpointer user_data);

typedef struct {
    const char *socket; /* path, short enough for a socket's address */
    const char *method;
    const char *path;         /* starts with '/', URL-encoded */
    const char *content_type; /* of the body; NULL: application/json */
    const char *body;         /* LENGTH bytes, or NULL */
    gsize length;
    int body_fd;     /* is the body, read to its end, when not negative */
    int patience;    /* seconds of silence until Podman counts as hung; 0: for ever */
    gsize reply_max; /* ceiling of the reply that is held in memory */
    gpointer user_data;
    transport_chunk_func chunk; /* takes a reply with a status below 400; NULL: held in memory */
    transport_tick_func tick;   /* may be NULL */
} transport_request;

typedef struct {
    long status;
    GByteArray *body; /* what was not given to the chunk function */
    char *version;    /* the Libpod-API-Version header, as it came; NULL without one */
    int refused;      /* failed: the errno of the connection that could not be made, else 0 */
    gboolean dropped; /* failed: the connection broke before one byte of a reply had come */
} transport_reply;

void transport_reply_clear(transport_reply *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(transport_reply, transport_reply_clear)

transport *transport_new(GError **error);
void transport_free(transport *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(transport, transport_free)

/*
 * TRUE when a whole reply came, whatever its status. Else BOX_ERROR_UNREACHABLE (no connection, it
 * broke, silence), BOX_ERROR_PROTOCOL (no HTTP, over a ceiling), BOX_ERROR_CANCELLED, or the error
 * of the chunk function. REPLY is cleared by the caller in any case.
 */
gboolean transport_perform(transport *self, const transport_request *request,
                           transport_reply *reply, GError **error);
