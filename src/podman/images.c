#include "podman/images.h"

#include <string.h>

#include "common/text.h"
#include "podman/call.h"
#include "podman/stream.h"

/* Puts "cannot VERB the image 'REFERENCE': " in front of ERROR. */
static void explain(GError **error, const char *verb, const char *reference)
{
    g_autofree char *safe = text_safe_max(reference, -1, 200);

    g_prefix_error(error, "cannot %s the image '%s': ", verb, safe);
}

gboolean podman_image_exists(podman *self, const char *reference, GError **error)
{
    g_autofree char *path = podman_path("/images/%s/exists", reference);
    g_autoptr(GError) failure = NULL;

    if (podman_call(self, "GET", path, NULL, NULL, &failure))
        return TRUE;
    if (g_error_matches(failure, BOX_ERROR, BOX_ERROR_NOT_FOUND))
        return FALSE;
    g_propagate_error(error, g_steal_pointer(&failure));
    explain(error, "look for", reference);
    return FALSE;
}

json_t *podman_image_inspect(podman *self, const char *reference, GError **error)
{
    g_autofree char *path = podman_path("/images/%s/json", reference);
    json_t *reply = podman_get(self, path, error);

    if (!reply)
        explain(error, "inspect", reference);
    return reply;
}

json_t *podman_image_list(podman *self, const char *label, GError **error)
{
    g_autofree char *filter = podman_label_filter(label);
    g_autofree char *path = podman_path("/images/json?filters=%s", filter);
    json_t *reply = podman_get(self, path, error);

    if (!reply)
        g_prefix_error(error, "cannot list the images: ");
    return reply;
}

char *podman_image_pull(podman *self, const char *reference, podman_progress_func progress,
                        gpointer user_data, GError **error)
{
    g_autofree char *path = podman_path("/images/pull?reference=%s", reference);
    g_auto(stream) state;
    podman_request request = {
        .method = "POST",
        .path = path,
        .patience = CALL_FOREVER,
        .chunk = stream_chunk,
        .tick = stream_tick,
        .user_data = &state,
    };

    stream_init(&state, "looking for the image", progress, user_data);
    if (podman_perform(self, &request, NULL, error) && stream_end(&state, FALSE, error))
        return g_steal_pointer(&state.id);
    explain(error, "pull", reference);
    return NULL;
}

char *podman_image_import(podman *self, const char *reference, int tar,
                          podman_progress_func progress, gpointer user_data, GError **error)
{
    g_autofree char *path = podman_path("/images/import?reference=%s", reference);
    g_autoptr(json_t) reply = NULL;
    g_auto(stream) state;
    podman_request request = {
        .method = "POST",
        .path = path,
        .upload = TRUE,
        .body_fd = tar,
        .content_type = "application/x-tar",
        .patience = CALL_FOREVER,
        .tick = stream_tick,
        .user_data = &state,
    };
    const char *id;

    stream_init(&state, "importing", progress, user_data);
    if (!podman_perform(self, &request, &reply, error)) {
        explain(error, "import", reference);
        return NULL;
    }
    id = json_string_value(json_object_get(reply, "Id"));
    if (!id || !*id) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                            "podman imported an image but does not say its ID");
        return NULL;
    }
    return g_strdup(g_str_has_prefix(id, "sha256:") ? id + strlen("sha256:") : id);
}

gboolean podman_image_remove(podman *self, const char *reference, GError **error)
{
    g_autofree char *path = podman_path("/images/%s", reference);

    if (podman_call(self, "DELETE", path, NULL, NULL, error))
        return TRUE;
    explain(error, "remove", reference);
    return FALSE;
}

gboolean podman_image_prune(podman *self, const char *label, gint64 *bytes, GError **error)
{
    g_autofree char *filter = podman_label_filter(label);
    g_autofree char *path = podman_path("/images/prune?filters=%s", filter);
    g_autoptr(json_t) reply = NULL;
    gint64 sum = 0;
    json_t *image;
    size_t i;

    if (!podman_call(self, "POST", path, NULL, &reply, error)) {
        g_prefix_error(error, "cannot remove unused images: ");
        return FALSE;
    }
    json_array_foreach (reply, i, image) {
        json_int_t size = json_integer_value(json_object_get(image, "Size"));
        if (size > 0 && size < G_MAXINT64 - sum)
            sum += size;
    }
    if (bytes)
        *bytes = sum;
    return TRUE;
}
