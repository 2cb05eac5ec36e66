/* Containers: typed calls for their life cycle. NAME is a container's name or ID. */
#pragma once

#include "podman/podman.h"

/*
 * Creates a container from REQUEST (Podman's SpecGenerator, computed by src/plan) and returns its
 * ID. Podman's warnings, such as limits that it cannot enforce, are added to WARNINGS as new
 * strings, made safe; WARNINGS may be NULL.
 */
char *podman_container_create(podman_client *self, json_t *request, GPtrArray *warnings,
                              GError **error);

/* The inspect document; BOX_ERROR_NOT_FOUND when there is no such container. */
json_t *podman_container_inspect(podman_client *self, const char *name, GError **error);

/* What differs from the image: [{"Path", "Kind": 0 changed, 1 new, 2 removed}]. */
json_t *podman_container_changes(podman_client *self, const char *name, GError **error);

/* All containers, running or not, that have LABEL ("key" or "key=value"), as Podman's JSON array.
 */
json_t *podman_container_list(podman_client *self, const char *label, GError **error);

gboolean podman_container_init(podman_client *self, const char *name, GError **error);
gboolean podman_container_start(podman_client *self, const char *name, GError **error);
/* Sends the stop signal, and SIGKILL after TIMEOUT seconds. Success if it is not running. */
gboolean podman_container_stop(podman_client *self, const char *name, int timeout, GError **error);
gboolean podman_container_unpause(podman_client *self, const char *name, GError **error);
gboolean podman_container_kill(podman_client *self, const char *name, int signal, GError **error);
/* Kills and removes it with its volumes. Success if it is missing. */
gboolean podman_container_remove(podman_client *self, const char *name, GError **error);
/* Waits until the container has stopped; *STATUS is its exit code. */
gboolean podman_container_wait(podman_client *self, const char *name, int *status, GError **error);
gboolean podman_container_rename(podman_client *self, const char *name, const char *to,
                                 GError **error);
/* One sample of resource use (stats?stream=false), as Podman's JSON. */
json_t *podman_container_stats(podman_client *self, const char *name, GError **error);

/* Receives raw bytes of the log; STREAM is 1 (stdout) or 2 (stderr). */
typedef void (*podman_log_func)(int stream, const char *data, gsize length, gpointer user_data);
enum podman_log_flags {
    PODMAN_LOG_FOLLOW = 1 << 0,     /* continues until the container ends */
    PODMAN_LOG_TIMESTAMPS = 1 << 1, /* each line begins with its time (RFC 3339) and a space */
};
/* FLAGS: enum podman_log_flags. TAIL: number of last lines; negative: all. */
gboolean podman_container_logs(podman_client *self, const char *name, unsigned flags, int tail,
                               podman_log_func write, gpointer user_data, GError **error);
