/*
 * One multi handle with one easy handle, both of which live as long as the client, so that later
 * calls reuse the connection. The loop polls libcurl's sockets and the cancel descriptor. While the
 * upload's descriptor has nothing to read, the loop polls that too instead of blocking on it.
 */
#include "podman/transport.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

#include <sys/eventfd.h>

#include "common/error.h"
#include "common/text.h"
#include "podman/podman.h"

/* A call with a timeout may take this many times the timeout in all, even if bytes keep coming. */
#define TIMEOUT_TOTAL_FACTOR 20

/*
 * The cancel flag, which a signal handler sets, and an event descriptor that makes a running poll
 * return. The descriptor stays readable until the reset, so that no wake-up is lost between a check
 * and a poll. It is -1 until the first connection, and never closed, because a signal may come at
 * any time.
 */
static volatile sig_atomic_t cancelled;
static volatile sig_atomic_t wake_up = -1;

static gboolean cancel_prepare(GError **error)
{
    if (wake_up >= 0)
        return TRUE;
    int fd = eventfd(cancelled ? 1 : 0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot create an event descriptor: %s",
                    g_strerror(errno));
        return FALSE;
    }
    wake_up = fd;
    return TRUE;
}

int cancel_fd(void)
{
    return wake_up;
}

gboolean cancel_check(GError **error)
{
    if (!cancelled)
        return FALSE;
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_CANCELLED, "interrupted");
    return TRUE;
}

void podman_cancel(void)
{
    int saved = errno;
    uint64_t one = 1;

    cancelled = 1;
    /* EAGAIN: it is readable already. */
    if (wake_up >= 0 && write(wake_up, &one, sizeof one) < 0)
        errno = 0;
    errno = saved;
}

void podman_cancel_reset(void)
{
    uint64_t count;

    cancelled = 0;
    if (wake_up >= 0 && read(wake_up, &count, sizeof count) < 0)
        errno = 0; /* EAGAIN: it was not readable */
}

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

/* FALSE with the exchange's error when the request must end. */
static gboolean check_limits(http_exchange *self, gint64 started)
{
    gint64 now = g_get_monotonic_time();
    gint64 timeout = (gint64)self->request->timeout * G_USEC_PER_SEC;

    if (cancel_check(&self->error))
        return FALSE;
    if (timeout == 0)
        return TRUE;
    if (now - self->last_activity < timeout && now - started < timeout * TIMEOUT_TOTAL_FACTOR)
        return TRUE;
    g_set_error(&self->error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                "podman does not answer (waited %d seconds)",
                (int)((now - started) / G_USEC_PER_SEC));
    return FALSE;
}

/* Waits at most one tick until there is something to do. */
static CURLMcode wait_for_activity(transport *self, http_exchange *now)
{
    struct curl_waitfd fds[] = {
        {.fd = cancel_fd(), .events = CURL_WAIT_POLLIN},
        {.fd = now->request->body_fd, .events = CURL_WAIT_POLLIN},
    };
    CURLMcode code =
        self->api.multi_poll(self->multi, fds, now->paused ? 2 : 1, TRANSPORT_TICK_MS, NULL);

    http_exchange_resume(now);
    return code;
}

/* Runs the transfer to its end. Returns libcurl's result, or CURLE_ABORTED_BY_CALLBACK when the
 * exchange has an error. */
static CURLcode run(transport *self, http_exchange *now)
{
    gint64 started = g_get_monotonic_time(), next_tick = started;
    int running = 1, left;

    now->last_activity = started;
    while (check_limits(now, started)) {
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
        if (wait_for_activity(self, now) != CURLM_OK)
            return CURLE_FAILED_INIT;
    }
    return CURLE_ABORTED_BY_CALLBACK;
}

/* TRUE for libcurl's codes for a connection that was closed or reset. */
static gboolean is_drop(CURLcode code)
{
    return code == CURLE_GOT_NOTHING || code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR;
}

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
    case CURLE_UNSUPPORTED_PROTOCOL: /* HTTP/0.9, for which libcurl mistakes garbage */
    case CURLE_WEIRD_SERVER_REPLY:
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                            "the program on podman's socket does not speak HTTP");
        return;
    default: {
        g_autofree char *text = text_safe(api->easy_strerror(code), -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL, "talking to podman failed: %s", text);
    }
    }
}

/* Sets ERROR, and in the reply what kind of failure it was. */
static void report_failure(http_exchange *now, CURLcode code, GError **error)
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

gboolean transport_perform(transport *self, const http_request *request, http_reply *reply,
                           GError **error)
{
    g_auto(http_exchange) now = {.api = &self->api,
                                 .easy = self->easy,
                                 .request = request,
                                 .reply = reply,
                                 .body_start = -1};
    CURLcode code;

    http_reply_clear(reply);
    *reply = (http_reply){.body = g_byte_array_new()};
    if (!http_exchange_prepare(&now, error))
        return FALSE;
    if (self->api.multi_add_handle(self->multi, self->easy) != CURLM_OK) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_FAILED, "libcurl is out of memory");
        return FALSE;
    }
    code = run(self, &now);
    /* libcurl takes incomplete headers for a reply without a body. */
    if (code == CURLE_OK && !now.headers_ended)
        code = CURLE_PARTIAL_FILE;
    self->api.easy_getinfo(self->easy, CURLINFO_RESPONSE_CODE, &reply->status);
    if (now.error)
        g_propagate_error(error, g_steal_pointer(&now.error));
    else if (code != CURLE_OK)
        report_failure(&now, code, error);
    /* Closes the connection when the transfer is not complete, so that Podman notices. */
    self->api.multi_remove_handle(self->multi, self->easy);
    return code == CURLE_OK;
}
