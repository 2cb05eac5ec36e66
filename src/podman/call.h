/* One call to Podman, for the files of src/podman: podman_call() with all its knobs. */
#pragma once

#include "podman/podman.h"
#include "podman/service.h"
#include "podman/transport.h"

/* Seconds of silence after which Podman counts as hung, by what it has to do. */
enum {
    CALL_SOON = 30,      /* looks something up, or flips a state */
    CALL_WORK = 15 * 60, /* may copy or delete an image's files */
    CALL_FOREVER = 0,    /* waits, follows, builds or pulls: the user ends it */
};

typedef struct {
    const char *method;
    const char *path;
    json_t *body;    /* or */
    gboolean upload; /* the body is read from BODY_FD, of CONTENT_TYPE */
    int body_fd;
    const char *content_type;
    int patience;               /* one of the above, or seconds */
    gboolean repeatable;        /* doing it twice is the same as once */
    transport_chunk_func chunk; /* takes the reply instead of REPLY */
    transport_tick_func tick;
    gpointer user_data;
} podman_request;

/* A client of the service AT, which is taken. NULL with ERROR when nothing answers. */
podman *podman_connect_to(service *at, GError **error);
/* TRUE when the user named the service (CONTAINER_HOST). */
gboolean podman_is_given(const podman *self);

/* As podman_call(). */
gboolean podman_perform(podman *self, const podman_request *request, json_t **reply,
                        GError **error);

/* A GET that must answer something. NULL with ERROR. */
json_t *podman_get(podman *self, const char *path, GError **error);

/* {"label":["LABEL"]} as a string for the "filters" query; {} when LABEL is NULL. */
char *podman_label_filter(const char *label);
