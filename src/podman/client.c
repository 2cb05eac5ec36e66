#include "podman/podman.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "common/text.h"
#include "podman/call.h"
#include "podman/cancel.h"
#include "podman/errors.h"
#include "podman/reply.h"
#include "podman/service.h"
#include "podman/transport.h"

#define API_PREFIX "/v4.0.0/libpod"
/* The oldest that we know how to talk to. */
#define OLDEST_MAJOR 4
#define OLDEST_MINOR 3
/* A locked database: tries in all, and the first pause, which doubles. About three seconds. */
#define BUSY_TRIES 6
#define BUSY_PAUSE_MS 100

/* Connections that one call may try: each source of a service, and each started once. */
#define CONNECT_TRIES 6

struct podman {
    service *service;
    transport *transport;
    char *version;
};

podman *podman_connect_to(service *at, GError **error)
{
    g_autoptr(podman) self = g_new0(podman, 1);

    self->service = at;
    self->transport = transport_new(error);
    /* The connection is kept for the calls to come, and the reply names the version. */
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

podman *podman_connect(GError **error)
{
    service *found = service_new(error);

    return found ? podman_connect_to(found, error) : NULL;
}

gboolean podman_is_given(const podman *self)
{
    return service_is_given(self->service);
}

void podman_free(podman *self)
{
    if (!self)
        return;
    transport_free(self->transport);
    service_free(self->service);
    g_free(self->version);
    g_free(self);
}

const char *podman_socket(const podman *self)
{
    return service_socket(self->service);
}

/* The reply of a call that went through: parsed, or an error made from it. */
static gboolean judge(podman *self, const transport_reply *got, json_t **reply, GError **error)
{
    const char *body = (const char *)got->body->data;

    if (got->version && !self->version)
        self->version = g_strdup(got->version);
    if (got->status >= 400) {
        errors_from_reply(got->status, body, got->body->len, error);
        return FALSE;
    }
    /* Others, redirections too, are answers to no call of ours; 304 stands for "already so". */
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

/* Back to where the body started. FALSE when it cannot be read again. */
static gboolean rewind_body(const transport_request *request, off_t start)
{
    return request->body_fd < 0 ||
           (start >= 0 && lseek(request->body_fd, start, SEEK_SET) == start);
}

/*
 * Gets a reply, from a service that may have to be found or started for it.
 *
 * A service that ends when idle, or is killed, may take a connection with it before it has read the
 * request. The next connection starts a new service, so that one more try is enough; that there was
 * no answer at all makes it all but sure that nothing was done either.
 */
static gboolean transfer(podman *self, transport_request *request, transport_reply *got,
                         GError **error)
{
    off_t start = request->body_fd >= 0 ? lseek(request->body_fd, 0, SEEK_CUR) : 0;
    gboolean dropped_before = FALSE;

    for (int tries = 1;; tries++) {
        g_autoptr(GError) failure = NULL;
        g_autofree char *advice = NULL;

        request->socket = service_address(self->service);
        if (transport_perform(self->transport, request, got, &failure))
            return TRUE;
        if (got->refused && tries < CONNECT_TRIES) {
            if (!service_refused(self->service, got->refused, error))
                return FALSE;
            continue;
        }
        if (got->dropped && !dropped_before && rewind_body(request, start)) {
            dropped_before = TRUE;
            continue;
        }
        advice = got->dropped || got->refused ? service_advice(self->service) : NULL;
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

static gboolean try_until_not_busy(podman *self, transport_request *request, gboolean repeatable,
                                   json_t **reply, GError **error)
{
    int pause = BUSY_PAUSE_MS;

    for (int left = BUSY_TRIES;; left--, pause *= 2) {
        g_auto(transport_reply) got = {0};
        g_autoptr(GError) failure = NULL;

        if (!transfer(self, request, &got, error))
            return FALSE;
        if (judge(self, &got, reply, &failure))
            return TRUE;
        if (left <= 1 || !repeatable || !g_error_matches(failure, BOX_ERROR, BOX_ERROR_BUSY)) {
            g_propagate_error(error, g_steal_pointer(&failure));
            return FALSE;
        }
        if (!pause_for(pause, error))
            return FALSE;
    }
}

gboolean podman_perform(podman *self, const podman_request *request, json_t **reply, GError **error)
{
    g_autofree char *path = g_strconcat(API_PREFIX, request->path, NULL);
    g_autofree char *body = request->body ? json_dumps(request->body, JSON_COMPACT) : NULL;
    transport_request wire = {
        .method = request->method,
        .path = path,
        .content_type = request->content_type,
        .body = body,
        .length = body ? strlen(body) : 0,
        .body_fd = request->upload ? request->body_fd : -1,
        .patience = request->patience,
        .reply_max = PODMAN_REPLY_MAX,
        .user_data = request->user_data,
        .chunk = request->chunk,
        .tick = request->tick,
    };

    if (reply)
        *reply = NULL;
    if (request->body && !body) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_FAILED,
                            "a request to podman cannot be written as JSON (invalid UTF-8?)");
        return FALSE;
    }
    return try_until_not_busy(self, &wire, request->repeatable, reply, error);
}

gboolean podman_call(podman *self, const char *method, const char *path, json_t *body,
                     json_t **reply, GError **error)
{
    gboolean posts = g_str_equal(method, "POST");
    podman_request request = {
        .method = method,
        .path = path,
        .body = body,
        .patience = g_str_equal(method, "GET") ? CALL_SOON : CALL_WORK,
        .repeatable = !posts,
    };

    return podman_perform(self, &request, reply, error);
}

const char *podman_version(podman *self, GError **error)
{
    if (!self->version)
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                            "podman does not say which version it is");
    return self->version;
}

gboolean podman_at_least(podman *self, int major, int minor)
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

json_t *podman_get(podman *self, const char *path, GError **error)
{
    json_t *reply = NULL;

    if (podman_call(self, "GET", path, NULL, &reply, error) && !reply)
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL, "podman's reply is empty");
    return reply;
}

json_t *podman_info(podman *self, GError **error)
{
    return podman_get(self, "/info", error);
}
