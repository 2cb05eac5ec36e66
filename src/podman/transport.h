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

/* Opens a connected stream socket and gives it away; -1 with ERROR. Called for each connection. */
typedef int (*transport_open_func)(gpointer user_data, GError **error);
/* A piece of the reply. FALSE with ERROR ends the request with that error. */
typedef gboolean (*transport_chunk_func)(const char *data, gsize length, gpointer user_data,
                                         GError **error);
/* SENT bytes of the body are on their way. */
typedef void (*transport_tick_func)(gint64 sent, gpointer user_data);

typedef struct {
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
    gboolean dropped; /* failed: the connection broke before one byte of a reply had come */
} transport_reply;

void transport_reply_clear(transport_reply *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(transport_reply, transport_reply_clear)

transport *transport_new(transport_open_func open, gpointer user_data, GError **error);
void transport_free(transport *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(transport, transport_free)

/*
 * TRUE when a whole reply came, whatever its status. Else BOX_ERROR_UNREACHABLE (no connection, it
 * broke, silence), BOX_ERROR_PROTOCOL (no HTTP, over a ceiling), BOX_ERROR_CANCELLED, or the error
 * of the chunk or open function. REPLY is cleared by the caller in any case.
 */
gboolean transport_perform(transport *self, const transport_request *request,
                           transport_reply *reply, GError **error);
