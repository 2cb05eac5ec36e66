/* Calls to Podman for the other files of src/podman: podman_call() with all its options. */
#pragma once

#include "podman/podman.h"
#include "podman/service.h"
#include "podman/transport.h"

/* Seconds without a byte from Podman after which it counts as hung. */
enum {
    PODMAN_TIMEOUT_QUERY = 30,     /* calls that look something up or change a state */
    PODMAN_TIMEOUT_WORK = 15 * 60, /* calls that may copy or delete an image's files */
    PODMAN_TIMEOUT_NONE = 0,       /* waits, logs, builds, pulls: only the user ends them */
};

typedef struct {
    const char *method;
    const char *path;
    json_t *body;             /* NULL when there is none, or with upload */
    gboolean upload;          /* the body is read from body_fd to its end */
    int body_fd;              /* belongs to the caller */
    gint64 body_max;          /* bytes of it; more are an error; 0: any number */
    const char *content_type; /* of the upload */
    int timeout;              /* one of the above, or seconds */
    gboolean is_idempotent;   /* may be sent again when Podman's database is locked */
    http_chunk_func chunk;    /* receives the reply, which is then not parsed */
    http_tick_func tick;      /* may be NULL */
    gpointer user_data;
} podman_request;

/* Connects to SERVICE, which it takes. NULL with ERROR when nothing answers. */
podman_client *podman_connect_to(podman_service *service, GError **error);
/* TRUE when CONTAINER_HOST names the service. */
gboolean podman_is_from_environment(const podman_client *self);

/* As podman_call(). */
gboolean podman_perform(podman_client *self, const podman_request *request, json_t **reply,
                        GError **error);

/* A GET whose reply must not be empty. NULL with ERROR. */
json_t *podman_get(podman_client *self, const char *path, GError **error);

/* {"label":["LABEL"]} for the "filters" query; {} when LABEL is NULL. */
char *podman_label_filter(const char *label);
