/* One request that is under way: what libcurl is told of it, and what libcurl calls back. */
#pragma once

#include <sys/types.h>

#include "podman/curl.h"
#include "podman/transport.h"

typedef struct {
    const curl_api *api;
    CURL *easy;
    const transport_request *request;
    transport_reply *reply;
    struct curl_slist *headers;
    gsize header_bytes;     /* 0: no reply yet */
    gboolean headers_ended; /* of the final reply, not of a "100 Continue" */
    gint64 sent;
    gint64 last_activity; /* monotonic microseconds */
    off_t body_start;     /* -1: the body cannot be read again */
    gboolean starved;     /* the upload is paused until body_fd can be read */
    GError *error;        /* why a callback ended the request */
} exchange;

/* Sets the easy handle up for the request. SELF must stay where it is until exchange_clear. */
gboolean exchange_prepare(exchange *self, GError **error);
/* Goes on with an upload that was waiting for its descriptor. */
void exchange_feed(exchange *self);
void exchange_clear(exchange *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(exchange, exchange_clear)
