/*
 * Runs one HTTP request at a time over a Unix socket. Knows nothing of Podman.
 *
 * Replies are treated as hostile: the header and the reply held in memory have size limits, silence
 * has a time limit, redirects and other protocols are off. podman_cancel() ends a request at once.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

/* libcurl's type checker would turn calls through the table into calls of the linked function. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/* Bytes of all header lines of one reply. */
#define HTTP_HEADERS_MAX (64 << 10)

/*
 * http.c: one HTTP request and its reply, as libcurl's callbacks see it. Knows nothing of Podman.
 *
 * libcurl is loaded with dlopen, because loading it and its thirty libraries takes 4 ms, which
 * commands that do not need Podman should not pay.
 */

/* A piece of the reply. FALSE with ERROR ends the request with that error. */
typedef gboolean (*http_chunk_func)(const char *data, gsize length, gpointer user_data,
                                    GError **error);
/* Called while the request runs; SENT bytes of the body have been sent. */
typedef void (*http_tick_func)(gint64 sent, gpointer user_data);

typedef struct {
    const char *socket; /* path that fits into struct sockaddr_un */
    const char *method;
    const char *path;         /* starts with '/', URL-encoded */
    const char *content_type; /* of the body; NULL: application/json */
    const char *body;         /* LENGTH bytes, or NULL */
    gsize length;
    int body_fd;     /* read to its end as the body; negative: none */
    gint64 body_max; /* bytes that are read from it before the request fails; 0: any number */
    int timeout;     /* seconds without a byte until the request fails; 0: never */
    gsize reply_max; /* bytes of the reply that is held in memory */
    gpointer user_data;
    http_chunk_func chunk; /* receives a reply with a status below 400; NULL: held in memory */
    http_tick_func tick;   /* may be NULL */
} http_request;

typedef struct {
    long status;
    GByteArray *body; /* the reply that the chunk function did not receive */
    char *version;    /* the Libpod-API-Version header, unchecked; NULL: there was none */
    int refused;      /* on failure: errno of connect(2); 0: there was a connection */
    gboolean dropped; /* on failure: the connection broke before the first byte of a reply */
} http_reply;

void http_reply_clear(http_reply *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(http_reply, http_reply_clear)

/* The functions of libcurl that are used. */
#define CURL_TABLE(X)      \
    X(global_init)         \
    X(easy_init)           \
    X(easy_cleanup)        \
    X(easy_reset)          \
    X(easy_setopt)         \
    X(easy_getinfo)        \
    X(easy_pause)          \
    X(easy_strerror)       \
    X(multi_init)          \
    X(multi_cleanup)       \
    X(multi_add_handle)    \
    X(multi_remove_handle) \
    X(multi_perform)       \
    X(multi_poll)          \
    X(multi_info_read)     \
    X(multi_strerror)      \
    X(slist_append)        \
    X(slist_free_all)

typedef struct {
#define CURL_MEMBER(name) __typeof__(&curl_##name) name;
    CURL_TABLE(CURL_MEMBER)
#undef CURL_MEMBER
} curl_api;

/*
 * Loads libcurl and fills API. FALSE with BOX_ERROR_UNREACHABLE, and what to install, when it is
 * missing or too old. It is never unloaded, so that its exit handlers stay valid.
 */
gboolean curl_load(curl_api *api, GError **error);

typedef struct {
    const curl_api *api;
    CURL *easy;
    const http_request *request;
    http_reply *reply;
    struct curl_slist *headers;
    gsize header_bytes;     /* 0: no reply yet */
    gboolean headers_ended; /* of the final reply, not of a "100 Continue" */
    gint64 sent;
    gint64 last_activity; /* monotonic microseconds */
    off_t body_start;     /* offset of body_fd; -1: it cannot be read again */
    gboolean paused;      /* the upload waits until body_fd is readable */
    GError *error;        /* set by a callback that ended the request */
} http_exchange;

/* Sets the easy handle up for the request. SELF must not move before http_exchange_clear(). */
gboolean http_exchange_prepare(http_exchange *self, GError **error);
/* Continues an upload that waited for its descriptor. */
void http_exchange_resume(http_exchange *self);
void http_exchange_clear(http_exchange *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(http_exchange, http_exchange_clear)

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
