#include "podman/podman.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "common/text.h"
#include "podman/client.h"
#include "podman/reply.h"
#include "podman/service.h"
#include "podman/transport.h"
#include "sys/debug.h"

#define API_PREFIX "/v4.0.0/libpod"
/* The oldest supported version. */
#define OLDEST_MAJOR 4
#define OLDEST_MINOR 3
/* While the database is locked: number of tries, and the first pause, which doubles each time.
 * About three seconds in all. */
#define BUSY_TRIES 6
#define BUSY_PAUSE_MS 100

/* Connections that one call may try: three services, each of them once more after it was started.
 */
#define CONNECT_TRIES 6

struct podman_client {
    podman_service *service;
    transport *transport;
    char *version;
};

podman_client *podman_connect_to(podman_service *service, GError **error)
{
    g_autoptr(podman_client) self = g_new0(podman_client, 1);

    self->service = service;
    self->transport = transport_new(error);
    /* Later calls reuse this connection, and the reply tells the version. */
    if (!self->transport || !podman_call(self, "GET", "/_ping", NULL, NULL, error))
        return NULL;
    if (podman_at_least(self, OLDEST_MAJOR, OLDEST_MINOR))
        return g_steal_pointer(&self);
    g_autofree char *safe = text_safe_max(self->version, -1, 50);
    g_set_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                "podman %d.%d or newer is needed, and '%s' is '%s'", OLDEST_MAJOR, OLDEST_MINOR,
                podman_socket(self), safe);
    return NULL;
}

podman_client *podman_connect(GError **error)
{
    podman_service *service = podman_service_new(error);

    return service ? podman_connect_to(service, error) : NULL;
}

gboolean podman_is_from_environment(const podman_client *self)
{
    return podman_service_is_from_environment(self->service);
}

void podman_free(podman_client *self)
{
    if (!self)
        return;
    transport_free(self->transport);
    podman_service_free(self->service);
    g_free(self->version);
    g_free(self);
}

const char *podman_socket(const podman_client *self)
{
    return podman_service_socket(self->service);
}

/* Parses a complete reply, or makes ERROR from it. */
static gboolean parse_reply(podman_client *self, const http_reply *got, json_t **reply,
                            GError **error)
{
    const char *body = (const char *)got->body->data;

    if (got->version && !self->version)
        self->version = g_strdup(got->version);
    if (got->status >= 400) {
        reply_set_error(got->status, body, got->body->len, error);
        return FALSE;
    }
    /* No call expects another status, such as a redirection. 304: the state is as wanted already.
     */
    if ((got->status < 200 || got->status >= 300) && got->status != 304) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL, "podman answered with HTTP %ld",
                    got->status);
        return FALSE;
    }
    if (!reply || got->body->len == 0)
        return TRUE;
    *reply = reply_parse(body, got->body->len, error);
    return *reply != NULL;
}

/* FALSE when the body cannot be read again from its start. */
static gboolean rewind_body(const http_request *request, off_t start)
{
    return request->body_fd < 0 ||
           (start >= 0 && lseek(request->body_fd, start, SEEK_SET) == start);
}

/*
 * Gets a reply, and finds or starts the service if necessary.
 *
 * A service that ends because it is idle, or is killed, may close a connection before it has read
 * the request. The next connection starts a new service, so one more try is enough. As there was no
 * reply at all, the service has almost certainly not executed the request.
 */
static gboolean transfer(podman_client *self, http_request *request, http_reply *got,
                         GError **error)
{
    off_t start = request->body_fd >= 0 ? lseek(request->body_fd, 0, SEEK_CUR) : 0;
    gboolean dropped_before = FALSE;

    for (int tries = 1;; tries++) {
        g_autoptr(GError) failure = NULL;
        g_autofree char *advice = NULL;

        request->socket = podman_service_address(self->service);
        gboolean done = transport_perform(self->transport, request, got, &failure);
        debug_log(DEBUG_PODMAN, "%s %s on %s: %ld%s%s", request->method, request->path,
                  request->socket, got->status, done ? "" : ", ", done ? "" : failure->message);
        if (done)
            return TRUE;
        if (got->refused && tries < CONNECT_TRIES) {
            if (!podman_service_refused(self->service, got->refused, error))
                return FALSE;
            continue;
        }
        if (got->dropped && !dropped_before && rewind_body(request, start)) {
            dropped_before = TRUE;
            continue;
        }
        advice = got->dropped || got->refused ? podman_service_advice(self->service) : NULL;
        if (advice)
            g_set_error(error, failure->domain, failure->code, "%s; %s", failure->message, advice);
        else
            g_propagate_error(error, g_steal_pointer(&failure));
        return FALSE;
    }
}

/* FALSE with ERROR when the user interrupts the pause. */
static gboolean pause_for(int milliseconds, GError **error)
{
    struct pollfd wake_up = {.fd = cancel_fd(), .events = POLLIN};

    poll(&wake_up, 1, milliseconds);
    return !cancel_check(error);
}

static gboolean retry_while_busy(podman_client *self, http_request *request, gboolean is_idempotent,
                                 json_t **reply, GError **error)
{
    int pause = BUSY_PAUSE_MS;

    for (int left = BUSY_TRIES;; left--, pause *= 2) {
        g_auto(http_reply) got = {0};
        g_autoptr(GError) failure = NULL;

        if (!transfer(self, request, &got, error))
            return FALSE;
        if (parse_reply(self, &got, reply, &failure))
            return TRUE;
        if (left <= 1 || !is_idempotent || !g_error_matches(failure, BOX_ERROR, BOX_ERROR_BUSY)) {
            g_propagate_error(error, g_steal_pointer(&failure));
            return FALSE;
        }
        if (!pause_for(pause, error))
            return FALSE;
    }
}

gboolean podman_perform(podman_client *self, const podman_request *request, json_t **reply,
                        GError **error)
{
    g_autofree char *path = g_strconcat(API_PREFIX, request->path, NULL);
    g_autofree char *body = request->body ? json_dumps(request->body, JSON_COMPACT) : NULL;
    http_request wire = {
        .method = request->method,
        .path = path,
        .content_type = request->content_type,
        .body = body,
        .length = body ? strlen(body) : 0,
        .body_fd = request->upload ? request->body_fd : -1,
        .body_max = request->body_max,
        .timeout = request->timeout,
        .reply_max = PODMAN_REPLY_MAX,
        .user_data = request->user_data,
        .chunk = request->chunk,
        .tick = request->tick,
    };

    if (reply)
        *reply = NULL;
    if (request->body && !body) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_FAILED,
                            "cannot write a request to podman as JSON (invalid UTF-8?)");
        return FALSE;
    }
    return retry_while_busy(self, &wire, request->is_idempotent, reply, error);
}

gboolean podman_call(podman_client *self, const char *method, const char *path, json_t *body,
                     json_t **reply, GError **error)
{
    gboolean posts = g_str_equal(method, "POST");
    podman_request request = {
        .method = method,
        .path = path,
        .body = body,
        .timeout = g_str_equal(method, "GET") ? PODMAN_TIMEOUT_QUERY : PODMAN_TIMEOUT_WORK,
        .is_idempotent = !posts,
    };

    return podman_perform(self, &request, reply, error);
}

const char *podman_version(podman_client *self, GError **error)
{
    if (!self->version)
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                            "podman does not report its version");
    return self->version;
}

gboolean podman_at_least(podman_client *self, int major, int minor)
{
    const char *version = podman_version(self, NULL);
    guint64 has_major, has_minor;
    char *end;

    if (!version)
        return FALSE;
    has_major = g_ascii_strtoull(version, &end, 10);
    has_minor = *end == '.' ? g_ascii_strtoull(end + 1, NULL, 10) : 0;
    return has_major > (guint64)major ||
           (has_major == (guint64)major && has_minor >= (guint64)minor);
}

json_t *podman_get(podman_client *self, const char *path, GError **error)
{
    json_t *reply = NULL;

    if (podman_call(self, "GET", path, NULL, &reply, error) && !reply)
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL, "podman's reply is empty");
    return reply;
}

json_t *podman_info(podman_client *self, GError **error)
{
    return podman_get(self, "/info", error);
}

char *podman_path(const char *format, ...)
{
    GString *path = g_string_new(NULL);
    va_list arguments;

    va_start(arguments, format);
    for (const char *p = format; *p; p++) {
        if (*p != '%') {
            g_string_append_c(path, *p);
            continue;
        }
        p++;
        if (*p == 's') {
            /* Escapes all but letters, digits and "-._~", so a name with "/" is one segment. */
            g_autofree char *word =
                g_uri_escape_string(va_arg(arguments, const char *), NULL, FALSE);
            g_string_append(path, word);
        } else if (*p == 'd') {
            g_string_append_printf(path, "%d", va_arg(arguments, int));
        } else {
            g_error("podman_path: '%s' has a conversion other than %%s and %%d", format);
        }
    }
    va_end(arguments);
    return g_string_free(path, FALSE);
}

char *podman_label_filter(const char *label)
{
    g_autoptr(json_t) filter = label ? json_pack("{s:[s]}", "label", label) : json_object();

    return json_dumps(filter, JSON_COMPACT);
}
