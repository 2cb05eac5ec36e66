/* Containers: the life cycle calls that Litterbox needs, typed. Names are ours or Podman IDs. */
#pragma once

#include "podman/podman.h"

/*
 * Creates a container from REQUEST (the SpecGenerator body that plan/ computed) and returns its ID.
 * What Podman warned about (limits it cannot enforce …) is added to WARNINGS as new strings, made
 * safe; WARNINGS may be NULL.
 */
char *podman_container_create(podman *self, json_t *request, GPtrArray *warnings, GError **error);

/* The inspect document; BOX_ERROR_NOT_FOUND when there is none. */
json_t *podman_container_inspect(podman *self, const char *name, GError **error);

/* What its own layer holds beyond the image's: [{"Path", "Kind": 0 changed, 1 new, 2 removed}]. */
json_t *podman_container_changes(podman *self, const char *name, GError **error);

/* All containers, running or not, that carry LABEL ("key" or "key=value"), as Podman's JSON array.
 */
json_t *podman_container_list(podman *self, const char *label, GError **error);

gboolean podman_container_init(podman *self, const char *name, GError **error);
gboolean podman_container_start(podman *self, const char *name, GError **error);
/* Asks PID 1 to end, kills it after TIMEOUT seconds. A container that is not running is success. */
gboolean podman_container_stop(podman *self, const char *name, int timeout, GError **error);
/* Thaws what somebody has paused. */
gboolean podman_container_unpause(podman *self, const char *name, GError **error);
gboolean podman_container_kill(podman *self, const char *name, int signal, GError **error);
/* Kills and removes, volumes included. A missing container is success. */
gboolean podman_container_remove(podman *self, const char *name, GError **error);
/* Waits until the container has stopped; *STATUS is its exit code. */
gboolean podman_container_wait(podman *self, const char *name, int *status, GError **error);
gboolean podman_container_rename(podman *self, const char *name, const char *to, GError **error);
/* One sample of resource use (stats?stream=false), Podman's JSON. */
json_t *podman_container_stats(podman *self, const char *name, GError **error);
/*
 * Feeds the log to WRITE, chunk by chunk, STREAM 1 or 2, raw bytes. FOLLOW keeps on until the
 * container ends; TAIL < 0 means all.
 */
typedef void (*podman_log_func)(int stream, const char *data, gsize length, gpointer user_data);
gboolean podman_container_logs(podman *self, const char *name, gboolean follow, int tail,
                               podman_log_func write, gpointer user_data, GError **error);
