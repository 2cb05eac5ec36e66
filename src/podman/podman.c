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
/* A locked database: tries in all, and the first pause, which doubles. About three seconds. */
#define BUSY_TRIES 6
#define BUSY_PAUSE_MS 100

struct podman {
    service *service;
    transport *transport;
    int first; /* the connection that podman_connect() made, until the first call takes it */
    char *version;
};

static int open_connection(gpointer user_data, GError **error) {
    podman *self = user_data;
    int fd = self->first;

    self->first = -1;
    return fd >= 0 ? fd : service_open(self->service, error);
}

podman *podman_connect(GError **error) {
    g_autoptr(podman) self = g_new0(podman, 1);

    self->first = -1;
    self->service = service_new();
    self->first = service_open(self->service, error);
    if (self->first < 0)
        return NULL;
    /* After the connection: while libcurl loads, a service that had to be started starts. */
    self->transport = transport_new(open_connection, self, error);
    if (!self->transport)
        return NULL;
    return g_steal_pointer(&self);
}

void podman_free(podman *self) {
    if (!self)
        return;
    transport_free(self->transport);
    if (self->first >= 0)
        close(self->first);
    service_free(self->service);
    g_free(self->version);
    g_free(self);
}

const char *podman_socket(const podman *self) {
    return service_socket(self->service);
}

/* The reply of a call that went through: parsed, or an error made from it. */
static gboolean judge(podman *self, const transport_reply *got, json_t **reply, GError **error) {
    const char *body = (const char *)got->body->data;

    if (got->version && !self->version)
        self->version = g_strdup(got->version);
    if (got->status >= 400) {
        errors_from_reply(got->status, body, got->body->len, error);
        return FALSE;
    }
    if (!reply || got->body->len == 0 || got->status == 304)
        return TRUE;
    *reply = reply_parse(body, got->body->len, error);
    return *reply != NULL;
}

/*
 * A service that ends when idle, or is killed, may take our connection with it before it has read
 * the request. The next connection starts a new service, so that one more try is enough; that it
 * answered nothing makes it all but sure that it did nothing either.
 */
static gboolean transfer(podman *self, const transport_request *request, transport_reply *got,
                         GError **error) {
    g_autoptr(GError) first = NULL;
    g_autofree char *advice = NULL;
    off_t start = request->body_fd >= 0 ? lseek(request->body_fd, 0, SEEK_CUR) : 0;

    if (transport_perform(self->transport, request, got, &first))
        return TRUE;
    if (got->dropped && start >= 0 &&
        (request->body_fd < 0 || lseek(request->body_fd, start, SEEK_SET) == start)) {
        g_clear_error(&first);
        if (transport_perform(self->transport, request, got, &first))
            return TRUE;
    }
    advice = got->dropped ? service_advice(self->service) : NULL;
    if (advice)
        g_set_error(error, first->domain, first->code, "%s; %s", first->message, advice);
    else
        g_propagate_error(error, g_steal_pointer(&first));
    return FALSE;
}

/* FALSE with ERROR when the user interrupts the pause. */
static gboolean pause_for(int milliseconds, GError **error) {
    struct pollfd wake_up = {.fd = cancel_fd(), .events = POLLIN};

    poll(&wake_up, 1, milliseconds);
    return !cancel_check(error);
}

static gboolean try_until_not_busy(podman *self, const transport_request *request,
                                   gboolean repeatable, json_t **reply, GError **error) {
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

gboolean podman_perform(podman *self, const podman_request *request, json_t **reply,
                        GError **error) {
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
                     json_t **reply, GError **error) {
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

const char *podman_version(podman *self, GError **error) {
    g_autoptr(json_t) reply = NULL;

    /* Every reply names it (judge): only a client that has made no call yet has to ask. */
    if (!self->version && !podman_call(self, "GET", "/_ping", NULL, NULL, error))
        return NULL;
    if (!self->version)
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                            "podman does not say which version it is");
    return self->version;
}

gboolean podman_at_least(podman *self, int major, int minor) {
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

json_t *podman_info(podman *self, GError **error) {
    json_t *reply = NULL;

    podman_call(self, "GET", "/info", NULL, &reply, error);
    return reply;
}
