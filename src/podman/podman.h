/*
 * A connection to Podman's libpod REST API over a Unix socket.
 *
 * podman_connect() loads libcurl with dlopen, so that commands that do not need Podman do not pay
 * for it. All of Podman's replies are treated as hostile: sizes have limits, JSON parsing is
 * bounded, and text goes through text_safe() before it becomes part of an error.
 *
 * The API version is libpod v4.0.0, which Podman 4.3 to 6 serve.
 */
#pragma once

#include <glib.h>
#include <jansson.h>

#include "common/error.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(json_t, json_decref)

typedef struct podman_client podman_client;

/* Bytes of one reply that is held in memory, such as an inspect or a list. */
#define PODMAN_REPLY_MAX (16 << 20)

/*
 * Finds a Podman service (service.h says where) and connects to it. Costs one round trip, which
 * also tells the version; later calls reuse the connection. When the service ends or is killed, the
 * next call starts it again. Fails with BOX_ERROR_UNREACHABLE and a message that says what to do.
 */
podman_client *podman_connect(GError **error);
void podman_free(podman_client *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(podman_client, podman_free)

/* The socket in use, for messages. Owned by SELF. */
const char *podman_socket(const podman_client *self);

/*
 * Makes all calls, current and later, fail with BOX_ERROR_CANCELLED until the reset.
 * Async-signal-safe. The flag is the only process-wide state of src/podman.
 */
void podman_cancel(void);
void podman_cancel_reset(void);

/*
 * One call: METHOD on /v4.0.0/libpod followed by PATH, which is URL-encoded with its query (see
 * podman_path()). BODY may be NULL. On success returns TRUE and stores the parsed reply in *REPLY;
 * NULL when it is empty. REPLY may be NULL. An HTTP status of 400 or more is an error that is made
 * from Podman's "cause" and "message" (reply_set_error()); 304 is success, for the state is as
 * wanted. While Podman's database is locked the call is repeated for about three seconds, unless
 * METHOD is POST. The error is BOX_ERROR_UNREACHABLE when Podman is silent for 30 seconds in a GET,
 * or 15 minutes in any other call, which may copy an image.
 */
gboolean podman_call(podman_client *self, const char *method, const char *path, json_t *body,
                     json_t **reply, GError **error);

/* printf that URL-encodes every %s argument; it knows only %s and %d. */
char *podman_path(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* Server version as "4.3.1", without a call. NULL with ERROR. Owned by SELF. */
const char *podman_version(podman_client *self, GError **error);
/* TRUE when the server's version is at least MAJOR.MINOR; FALSE also when it is unknown. */
gboolean podman_at_least(podman_client *self, int major, int minor);

/* GET /info. */
json_t *podman_info(podman_client *self, GError **error);

/* One step of a pull or a build. */
typedef struct {
    const char *text;   /* a line from Podman or a build's program, NOT safe; valid in the call */
    int step, steps;    /* "STEP 3/9"; 0: unknown */
    gint64 bytes;       /* sent so far; -1: unknown */
    gboolean is_repeat; /* TEXT was reported before; only time has passed */
} podman_progress;
typedef void (*podman_progress_func)(const podman_progress *progress, gpointer user_data);

/* Containers: typed calls for their life cycle. NAME is a container's name or ID. */

/*
 * Creates a container from REQUEST (Podman's SpecGenerator, computed by src/plan) and returns its
 * ID. Podman's warnings, such as limits that it cannot enforce, are added to WARNINGS as new
 * strings, made safe; WARNINGS may be NULL.
 */
char *podman_container_create(podman_client *self, json_t *request, GPtrArray *warnings,
                              GError **error);

/* The inspect document; BOX_ERROR_NOT_FOUND when there is no such container. */
json_t *podman_container_inspect(podman_client *self, const char *name, GError **error);

/* Bytes of the container's own files, without its mounts; -1 with ERROR. Podman counts them. */
gint64 podman_container_size(podman_client *self, const char *name, GError **error);

/* What differs from the image IMAGE (NULL: that of the container): [{"Path", "Kind": 0 changed, 1
 * new, 2 removed}]. */
json_t *podman_container_changes(podman_client *self, const char *name, const char *image,
                                 GError **error);
/*
 * Makes an image of the container's own files, without its mounts, on the image that it has; the
 * configuration is that of the container. It is tagged REPOSITORY:TAG. The container is not paused.
 * Returns the image's ID.
 */
char *podman_container_commit(podman_client *self, const char *name, const char *repository,
                              const char *tag, GError **error);

/* All containers, running or not, that have LABEL ("key" or "key=value"), as Podman's JSON array.
 */
json_t *podman_container_list(podman_client *self, const char *label, GError **error);

gboolean podman_container_init(podman_client *self, const char *name, GError **error);
gboolean podman_container_start(podman_client *self, const char *name, GError **error);
/* Sends the stop signal, and SIGKILL after TIMEOUT seconds. Success if it is not running. */
gboolean podman_container_stop(podman_client *self, const char *name, int timeout, GError **error);
gboolean podman_container_unpause(podman_client *self, const char *name, GError **error);
/* Kills and removes it with its volumes. Success if it is missing. */
gboolean podman_container_remove(podman_client *self, const char *name, GError **error);
gboolean podman_container_rename(podman_client *self, const char *name, const char *to,
                                 GError **error);

/* Receives raw bytes of the log; STREAM is 1 (stdout) or 2 (stderr). */
typedef void (*podman_log_func)(int stream, const char *data, gsize length, gpointer user_data);
enum podman_log_flags {
    PODMAN_LOG_FOLLOW = 1 << 0,     /* continues until the container ends */
    PODMAN_LOG_TIMESTAMPS = 1 << 1, /* each line begins with its time (RFC 3339) and a space */
};
/* FLAGS: enum podman_log_flags. TAIL: number of last lines; negative: all. */
gboolean podman_container_logs(podman_client *self, const char *name, unsigned flags, int tail,
                               podman_log_func write, gpointer user_data, GError **error);

/*
 * The files of a container without its mounts, as a tar that CHUNK receives. User and group ids are
 * those of Podman's own user namespace, not of the container. NAME should not run. TICK is called
 * while the call runs. CHUNK's error is the result's.
 */
typedef gboolean (*podman_chunk_func)(const char *data, gsize length, gpointer user_data,
                                      GError **error);
typedef void (*podman_tick_func)(gint64 sent, gpointer user_data);
gboolean podman_container_export(podman_client *self, const char *name, podman_chunk_func chunk,
                                 podman_tick_func tick, gpointer user_data, GError **error);
/*
 * The file or folder PATH of the container NAME, as a tar that CHUNK receives, in which names begin
 * with the last part of PATH. *MISSING: there is none, which is no error.
 */
gboolean podman_container_archive(podman_client *self, const char *name, const char *path,
                                  podman_chunk_func chunk, gpointer user_data, gboolean *missing,
                                  GError **error);
/*
 * Extracts the tar on the descriptor TAR below the root folder of the container NAME, which must
 * never have run: then Podman writes to the container's own layer, with that as its root folder,
 * and no mount is there that would lead to the host. Ids are those of the container.
 */
gboolean podman_container_extract(podman_client *self, const char *name, int tar,
                                  podman_tick_func tick, gpointer user_data, GError **error);

/* Images: look up, pull, build, import, remove. Long operations report progress. */

/* TRUE when the image exists; FALSE without ERROR when it does not. */
gboolean podman_image_exists(podman_client *self, const char *reference, GError **error);
json_t *podman_image_inspect(podman_client *self, const char *reference, GError **error);
/* All images, with those that are steps of builds, as Podman's JSON array. */
json_t *podman_image_list_all(podman_client *self, GError **error);

/* Pulls REFERENCE and returns the image ID. */
char *podman_image_pull(podman_client *self, const char *reference, podman_progress_func progress,
                        gpointer user_data, GError **error);

typedef struct {
    const char *tag;              /* full reference, such as localhost/litterbox/NAME:latest */
    const char *containerfile;    /* path inside the context */
    const char *const *buildargs; /* "K=V", NULL-terminated; may be NULL */
    const char *const *labels;    /* "K=V", NULL-terminated; may be NULL */
    gboolean no_cache, pull_newer;
    /* Asked of the service that builds, which may have another storage than others; nothing is
     * built on FALSE with ERROR. With it only images that Podman has are built from. NULL: no
     * check. */
    gboolean (*check)(podman_client *builder, GError **error);
    gint64 context_max; /* bytes of the context; 0: any number */
    /* The network of the whole build (build_network.h); NULL: each step gets one of its own, with a
     * way out. */
    const char *network;
    const char *nameserver; /* of the steps in NETWORK, which they share; NULL: each step gets one
                               of its own, with a loopback interface alone */
} podman_build;
/*
 * Builds from the tar that is read from the descriptor CONTEXT (a file, a memfd or a pipe). Returns
 * the image ID. On failure the error holds the last lines of the build's output, made safe.
 *
 * The image is tagged once the build is complete, so that the tag never names half an image. Steps
 * get their own network, without the host's loopback interface unless CONTAINER_HOST names a Podman
 * 4 (service_spawn.c). The build runs in its own Podman
 * service and ends with the caller, however that ends (build_reaper.h); with CONTAINER_HOST, Podman
 * may continue with it. A build with a NETWORK has its own service in any case, which pulls no
 * image.
 */
char *podman_image_build(podman_client *self, const podman_build *build, int context,
                         podman_progress_func progress, gpointer user_data, GError **error);
/* Imports a root file system from the tar on the descriptor TAR, tags it REFERENCE, and makes one
 * CHANGE ("LABEL a=b", as in a Containerfile). */
char *podman_image_import(podman_client *self, const char *reference, const char *change, int tar,
                          podman_progress_func progress, gpointer user_data, GError **error);
/* Gives the image (a reference or an ID) the name REFERENCE too. */
gboolean podman_image_tag(podman_client *self, const char *image, const char *reference,
                          GError **error);
/* BOX_ERROR_CONFLICT when a container uses it, BOX_ERROR_NOT_FOUND when it is missing. */
gboolean podman_image_remove(podman_client *self, const char *reference, GError **error);
