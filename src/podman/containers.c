#include "podman/podman.h"

#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "podman/client.h"
#include "podman/reply.h"

/* In the runtime folder, beside those of boxes, whose names begin with no dot. */
#define CREATE_LOCK ".create.lock"
/* Of a removal, while the container ends. */
#define REMOVE_TRIES 3

/* Prefixes ERROR with "cannot VERB 'NAME': ". Returns FALSE. */
static gboolean explain(GError **error, const char *verb, const char *name)
{
    g_autofree char *safe = text_safe_max(name, -1, 200);

    g_prefix_error(error, "cannot %s '%s': ", verb, safe);
    return FALSE;
}

/* An idempotent POST without a body. */
static gboolean post(podman_client *self, const char *path, int timeout, GError **error)
{
    podman_request request = {
        .method = "POST", .path = path, .timeout = timeout, .is_idempotent = TRUE};

    return podman_perform(self, &request, NULL, error);
}

static void collect_warnings(json_t *reply, GPtrArray *warnings)
{
    json_t *warning;
    size_t i;

    json_array_foreach (json_object_get(reply, "Warnings"), i, warning) {
        const char *text = json_string_value(warning);
        if (text && *text)
            g_ptr_array_add(warnings, text_safe(text, -1));
    }
}

/* One creation at a time: Podman 5 asks libsubid for the user's ids, which is not safe for its
 * threads, and of two containers that are created at once one may get no ids but the user's own. It
 * never starts then. */
static gboolean create_alone(podman_client *self, json_t *request, json_t **reply, GError **error)
{
    g_autofree char *folder = paths_runtime(NULL, error);
    if (!folder || !fs_make_folder(folder, 0700, error))
        return FALSE;
    g_autofree char *path = g_build_filename(folder, CREATE_LOCK, NULL);
    int lock = fs_lock(path, NULL, error);
    gboolean done =
        lock >= 0 && podman_call(self, "POST", "/containers/create", request, reply, error);
    if (lock >= 0)
        close(lock);
    return done;
}

char *podman_container_create(podman_client *self, json_t *request, GPtrArray *warnings,
                              GError **error)
{
    g_autoptr(json_t) reply = NULL;
    const char *name = json_string_value(json_object_get(request, "name"));
    const char *id;

    if (!create_alone(self, request, &reply, error)) {
        explain(error, "create the container", name);
        return NULL;
    }
    id = json_string_value(json_object_get(reply, "Id"));
    if (!id || !*id) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                            "podman created a container, but its reply has no ID");
        return NULL;
    }
    if (warnings)
        collect_warnings(reply, warnings);
    return g_strdup(id);
}

json_t *podman_container_inspect(podman_client *self, const char *name, GError **error)
{
    g_autofree char *path = podman_path("/containers/%s/json", name);
    json_t *reply = podman_get(self, path, error);

    if (!reply)
        explain(error, "inspect the container", name);
    return reply;
}

gint64 podman_container_size(podman_client *self, const char *name, GError **error)
{
    g_autofree char *path = podman_path("/containers/%s/json?size=true", name);
    g_autoptr(json_t) reply = podman_get(self, path, error);

    if (!reply) {
        explain(error, "measure the container", name);
        return -1;
    }
    return MAX(json_integer_value(json_object_get(reply, "SizeRw")), 0);
}

json_t *podman_container_changes(podman_client *self, const char *name, const char *image,
                                 GError **error)
{
    g_autofree char *path = image ? podman_path("/containers/%s/changes?parent=%s", name, image)
                                  : podman_path("/containers/%s/changes", name);
    json_t *reply = podman_get(self, path, error);

    if (!reply)
        explain(error, "compare the container", name);
    return reply;
}

char *podman_container_commit(podman_client *self, const char *name, const char *repository,
                              const char *tag, GError **error)
{
    g_autofree char *path =
        podman_path("/commit?container=%s&repo=%s&tag=%s&pause=false", name, repository, tag);
    g_autoptr(json_t) reply = NULL;

    if (!podman_call(self, "POST", path, NULL, &reply, error)) {
        explain(error, "make an image of the container", name);
        return NULL;
    }
    const char *id = json_string_value(json_object_get(reply, "Id"));
    if (!id)
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                            "podman's reply has no ID of the image");
    return g_strdup(id);
}

json_t *podman_container_list(podman_client *self, const char *label, GError **error)
{
    g_autofree char *filter = podman_label_filter(label);
    g_autofree char *path = podman_path("/containers/json?all=true&filters=%s", filter);
    json_t *reply = podman_get(self, path, error);

    if (!reply)
        g_prefix_error(error, "cannot list the containers: ");
    return reply;
}

gboolean podman_container_init(podman_client *self, const char *name, GError **error)
{
    g_autofree char *path = podman_path("/containers/%s/init", name);

    return post(self, path, PODMAN_TIMEOUT_QUERY, error) ||
           explain(error, "prepare the container", name);
}

gboolean podman_container_start(podman_client *self, const char *name, GError **error)
{
    g_autofree char *path = podman_path("/containers/%s/start", name);

    return post(self, path, PODMAN_TIMEOUT_QUERY, error) ||
           explain(error, "start the container", name);
}

gboolean podman_container_stop(podman_client *self, const char *name, int timeout, GError **error)
{
    g_autofree char *path = podman_path("/containers/%s/stop?timeout=%d", name, timeout);

    return post(self, path, timeout + PODMAN_TIMEOUT_QUERY, error) ||
           explain(error, "stop the container", name);
}

gboolean podman_container_unpause(podman_client *self, const char *name, GError **error)
{
    g_autofree char *path = podman_path("/containers/%s/unpause", name);

    return podman_call(self, "POST", path, NULL, NULL, error) ||
           explain(error, "unpause the container", name);
}

gboolean podman_container_remove(podman_client *self, const char *name, GError **error)
{
    g_autofree char *path =
        podman_path("/containers/%s?force=true&timeout=0&volumes=true&ignore=true", name);
    g_autoptr(GError) failure = NULL;
    gboolean again = TRUE;

    /* When conmon is gone, Podman 5 ends the container but reports a failure, and removes it only
     * at the second call. Podman 4 does so when the container ends by itself before it is killed;
     * conmon's cleanup may be at it then, too. */
    for (int tries = 0; again && tries < REMOVE_TRIES; tries++) {
        g_clear_error(&failure);
        if (podman_call(self, "DELETE", path, NULL, NULL, &failure))
            return TRUE;
        again = g_error_matches(failure, BOX_ERROR, BOX_ERROR_FAILED) ||
                g_error_matches(failure, BOX_ERROR, BOX_ERROR_STATE);
    }
    if (g_error_matches(failure, BOX_ERROR, BOX_ERROR_NOT_FOUND))
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&failure));
    return explain(error, "remove the container", name);
}

gboolean podman_container_rename(podman_client *self, const char *name, const char *to,
                                 GError **error)
{
    g_autofree char *path = podman_path("/containers/%s/rename?name=%s", name, to);

    return podman_call(self, "POST", path, NULL, NULL, error) ||
           explain(error, "rename the container", name);
}

typedef struct {
    reply_log_stream frames;
    podman_log_func write;
    gpointer user_data;
} follower;

static gboolean on_chunk(const char *data, gsize length, gpointer user_data, GError **error)
{
    follower *self = user_data;

    return reply_log_stream_feed(&self->frames, data, length, self->write, self->user_data, error);
}

gboolean podman_container_logs(podman_client *self, const char *name, unsigned flags, int tail,
                               podman_log_func write, gpointer user_data, GError **error)
{
    g_autofree char *lines = tail < 0 ? g_strdup("all") : g_strdup_printf("%d", tail);
    gboolean follow = (flags & PODMAN_LOG_FOLLOW) != 0;
    g_autofree char *path = podman_path(
        "/containers/%s/logs?stdout=true&stderr=true&follow=%s&timestamps=%s&tail=%s", name,
        follow ? "true" : "false", flags & PODMAN_LOG_TIMESTAMPS ? "true" : "false", lines);
    follower state = {.write = write, .user_data = user_data};
    podman_request request = {.method = "GET",
                              .path = path,
                              .timeout = follow ? PODMAN_TIMEOUT_NONE : PODMAN_TIMEOUT_QUERY,
                              .chunk = on_chunk,
                              .user_data = &state};
    gboolean done =
        podman_perform(self, &request, NULL, error) && reply_log_stream_end(&state.frames, error);

    reply_log_stream_clear(&state.frames);
    if (!done) {
        g_autofree char *safe = text_safe_max(name, -1, 200);
        g_prefix_error(error, "cannot read the log of '%s': ", safe);
    }
    return done;
}

gboolean podman_container_export(podman_client *self, const char *name, podman_chunk_func chunk,
                                 podman_tick_func tick, gpointer user_data, GError **error)
{
    g_autofree char *path = podman_path("/containers/%s/export", name);
    podman_request request = {.method = "GET",
                              .path = path,
                              .timeout = PODMAN_TIMEOUT_WORK,
                              .chunk = chunk,
                              .tick = tick,
                              .user_data = user_data};

    return podman_perform(self, &request, NULL, error) ||
           explain(error, "read the files of the container", name);
}

gboolean podman_container_archive(podman_client *self, const char *name, const char *path,
                                  podman_chunk_func chunk, gpointer user_data, gboolean *missing,
                                  GError **error)
{
    g_autofree char *call = podman_path("/containers/%s/archive?path=%s", name, path);
    g_autoptr(GError) failure = NULL;
    podman_request request = {.method = "GET",
                              .path = call,
                              .timeout = PODMAN_TIMEOUT_WORK,
                              .chunk = chunk,
                              .user_data = user_data};

    *missing = FALSE;
    if (podman_perform(self, &request, NULL, &failure))
        return TRUE;
    *missing = g_error_matches(failure, BOX_ERROR, BOX_ERROR_NOT_FOUND);
    if (*missing)
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&failure));
    return explain(error, "read a file of the container", name);
}

/* Podman says "error … copier.request{HUNDREDS OF BYTES}: REASON". */
static void shorten(GError *failure)
{
    char *reason = strstr(failure->message, "copier.request{");

    if (reason && (reason = g_strrstr(reason, "}: "))) {
        char *shorter = g_strconcat("podman: ", reason + strlen("}: "), NULL);
        g_free(failure->message);
        failure->message = shorter;
    }
}

gboolean podman_container_extract(podman_client *self, const char *name, int tar,
                                  podman_tick_func tick, gpointer user_data, GError **error)
{
    g_autofree char *path =
        podman_path("/containers/%s/archive?path=%s&copyUIDGID=false", name, "/");
    g_autoptr(GError) failure = NULL;
    podman_request request = {.method = "PUT",
                              .path = path,
                              .upload = TRUE,
                              .body_fd = tar,
                              .content_type = "application/x-tar",
                              .timeout = PODMAN_TIMEOUT_WORK,
                              .tick = tick,
                              .user_data = user_data};

    if (podman_perform(self, &request, NULL, &failure))
        return TRUE;
    shorten(failure);
    g_propagate_error(error, g_steal_pointer(&failure));
    return explain(error, "write the files of the container", name);
}
