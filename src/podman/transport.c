/*
 * Theory of operation: one multi handle with one easy handle, both kept for as long as the client
 * lives, so that calls after the first reuse the connection. The loop polls libcurl's sockets
 * together with the cancel descriptor, and with the upload's descriptor while that has nothing to
 * read: a pipe that is fed slowly must not block the loop.
 */
#include "podman/transport.h"

#include <errno.h>

#include "common/error.h"
#include "common/text.h"
#include "podman/cancel.h"
#include "podman/exchange.h"

/* A trickle of bytes is no silence, but a call with patience may take only this many times that. */
#define PATIENCE_TOTAL 20

struct transport {
    curl_api api;
    CURLM *multi;
    CURL *easy;
};

transport *transport_new(GError **error)
{
    g_autoptr(transport) self = g_new0(transport, 1);

    if (!cancel_prepare(error) || !curl_load(&self->api, error))
        return NULL;
    self->multi = self->api.multi_init();
    self->easy = self->api.easy_init();
    if (!self->multi || !self->easy) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_FAILED, "libcurl cannot be set up");
        return NULL;
    }
    return g_steal_pointer(&self);
}

void transport_free(transport *self)
{
    if (!self)
        return;
    if (self->easy)
        self->api.easy_cleanup(self->easy);
    if (self->multi)
        self->api.multi_cleanup(self->multi);
    g_free(self);
}

void transport_reply_clear(transport_reply *self)
{
    g_clear_pointer(&self->body, g_byte_array_unref);
    g_clear_pointer(&self->version, g_free);
}

/* FALSE with the exchange's error when the request has to end. */
static gboolean go_on(exchange *self, gint64 started)
{
    gint64 now = g_get_monotonic_time();
    gint64 patience = (gint64)self->request->patience * G_USEC_PER_SEC;

    if (cancel_check(&self->error))
        return FALSE;
    if (patience == 0)
        return TRUE;
    if (now - self->last_activity < patience && now - started < patience * PATIENCE_TOTAL)
        return TRUE;
    g_set_error(&self->error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                "podman does not answer (waited %d seconds)",
                (int)((now - started) / G_USEC_PER_SEC));
    return FALSE;
}

/* Waits until something can go on, at most one tick. */
static CURLMcode wait_for_more(transport *self, exchange *now)
{
    struct curl_waitfd fds[] = {
        {.fd = cancel_fd(), .events = CURL_WAIT_POLLIN},
        {.fd = now->request->body_fd, .events = CURL_WAIT_POLLIN},
    };
    CURLMcode code =
        self->api.multi_poll(self->multi, fds, now->starved ? 2 : 1, TRANSPORT_TICK_MS, NULL);

    exchange_feed(now);
    return code;
}

/* Runs the transfer to its end. What libcurl made of it, or CURLE_ABORTED_BY_CALLBACK for our own.
 */
static CURLcode run(transport *self, exchange *now)
{
    gint64 started = g_get_monotonic_time(), next_tick = started;
    int running = 1, left;

    now->last_activity = started;
    while (go_on(now, started)) {
        if (self->api.multi_perform(self->multi, &running) != CURLM_OK)
            return CURLE_FAILED_INIT;
        if (!running) {
            CURLMsg *message = self->api.multi_info_read(self->multi, &left);
            return message ? message->data.result : CURLE_FAILED_INIT;
        }
        if (now->request->tick && g_get_monotonic_time() >= next_tick) {
            now->request->tick(now->sent, now->request->user_data);
            next_tick = g_get_monotonic_time() + (gint64)TRANSPORT_TICK_MS * 1000;
        }
        if (wait_for_more(self, now) != CURLM_OK)
            return CURLE_FAILED_INIT;
    }
    return CURLE_ABORTED_BY_CALLBACK;
}

/* TRUE for the ways in which libcurl reports a connection that was closed or reset. */
static gboolean is_drop(CURLcode code)
{
    return code == CURLE_GOT_NOTHING || code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR;
}

/* Says in our words what libcurl reports. */
static void set_error(const curl_api *api, CURLcode code, GError **error)
{
    switch (code) {
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                            "podman closed the connection without an answer");
        return;
    case CURLE_PARTIAL_FILE:
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                            "podman closed the connection in the middle of its answer");
        return;
    case CURLE_UNSUPPORTED_PROTOCOL: /* HTTP/0.9, which is what libcurl takes garbage for */
    case CURLE_WEIRD_SERVER_REPLY:
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                            "what answers on podman's socket does not speak HTTP");
        return;
    default: {
        g_autofree char *text = text_safe(api->easy_strerror(code), -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL, "talking to podman failed: %s", text);
    }
    }
}

/* Fills in what the caller can do about a failure, and its ERROR. */
static void judge(exchange *now, CURLcode code, GError **error)
{
    long number = 0;

    if (code == CURLE_COULDNT_CONNECT) {
        now->api->easy_getinfo(now->easy, CURLINFO_OS_ERRNO, &number);
        now->reply->refused = number ? number : ECONNREFUSED;
        g_set_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE, "cannot connect to '%s': %s",
                    now->request->socket, g_strerror(now->reply->refused));
        return;
    }
    if (is_drop(code) && now->header_bytes > 0)
        code = CURLE_PARTIAL_FILE;
    now->reply->dropped = is_drop(code);
    set_error(now->api, code, error);
}

gboolean transport_perform(transport *self, const transport_request *request,
                           transport_reply *reply, GError **error)
{
    g_auto(exchange) now = {.api = &self->api,
                            .easy = self->easy,
                            .request = request,
                            .reply = reply,
                            .body_start = -1};
    CURLcode code;

    transport_reply_clear(reply);
    *reply = (transport_reply){.body = g_byte_array_new()};
    if (!exchange_prepare(&now, error))
        return FALSE;
    if (self->api.multi_add_handle(self->multi, self->easy) != CURLM_OK) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_FAILED, "libcurl is out of memory");
        return FALSE;
    }
    code = run(self, &now);
    /* For libcurl, headers that break off are a reply without a body. */
    if (code == CURLE_OK && !now.headers_ended)
        code = CURLE_PARTIAL_FILE;
    self->api.easy_getinfo(self->easy, CURLINFO_RESPONSE_CODE, &reply->status);
    if (now.error)
        g_propagate_error(error, g_steal_pointer(&now.error));
    else if (code != CURLE_OK)
        judge(&now, code, error);
    /* Closes the connection when the transfer is not complete: Podman sees that we gave up. */
    self->api.multi_remove_handle(self->multi, self->easy);
    return code == CURLE_OK;
}
