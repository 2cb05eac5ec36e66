#include "podman/storage_steps.h"

#include <fcntl.h>
#include <jansson.h>
#include <string.h>

#include "common/error.h"
#include "common/fs.h"
#include "common/text.h"
#include "podman/storage_layers.h"

#define STEPS_DEPTH_MAX 64

typedef struct {
    const char *image;
    storage_step_func func;
    gpointer data;
} step_walk;

static gboolean unclear(GError **error, const char *image)
{
    g_autofree char *safe = text_safe_max(image, -1, 200);
    g_set_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                "the configuration of the image '%s' cannot be read: remove it (podman rmi)", safe);
    return FALSE;
}

static gboolean tell_steps(const step_walk *self, const json_t *steps, GError **error)
{
    const json_t *step;
    size_t i;
    json_array_foreach (steps, i, step) {
        const char *text = json_string_value(step);
        if (text && !self->func(self->image, text, self->data, error))
            return FALSE;
    }
    return TRUE;
}

/* At any depth, and in any case: Podman does not look at the case of keys. A manifest of schema 1
 * has configurations as text, of which Podman makes one when it builds. */
static gboolean walk_config(const step_walk *self, json_t *at, int depth, GError **error)
{
    const char *key;
    json_t *value;
    size_t i;
    if (depth == STEPS_DEPTH_MAX)
        return unclear(error, self->image);
    json_array_foreach (at, i, value)
        if (!walk_config(self, value, depth + 1, error))
            return FALSE;
    json_object_foreach (at, key, value) {
        gboolean is_steps = g_ascii_strcasecmp(key, "OnBuild") == 0;
        if (g_ascii_strcasecmp(key, "v1Compatibility") == 0)
            return unclear(error, self->image);
        if ((is_steps && !tell_steps(self, value, error)) ||
            !walk_config(self, value, depth + 1, error))
            return FALSE;
    }
    return TRUE;
}

gboolean storage_steps_parse(const char *image, const char *text, gsize length,
                             storage_step_func func, gpointer data, GError **error)
{
    /* Of a key that is there twice Podman may merge what jansson replaces. */
    g_autoptr(json_t) config = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    step_walk walk = {image, func, data};
    return config ? walk_config(&walk, config, 0, error) : unclear(error, image);
}

/* The file in which the storage keeps KEY of an image, such as "sha256:…". */
static char *file_of(const char *folder, const char *id, const char *key)
{
    g_autofree char *name = g_base64_encode((const guchar *)key, strlen(key));
    return g_strconcat(folder, "/", id, "/=", name, NULL);
}

static gboolean read_config(const step_walk *self, const char *path, GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autofree char *text = NULL;
    gsize length;
    if (fs_read(AT_FDCWD, path, STORAGE_RECORD_MAX, &text, &length, &problem))
        return storage_steps_parse(self->image, text, length, self->func, self->data, error);
    if (g_error_matches(problem, G_FILE_ERROR, G_FILE_ERROR_NOENT))
        return TRUE; /* removed meanwhile: nothing starts from it */
    g_propagate_error(error, g_steal_pointer(&problem));
    return FALSE;
}

/* What an image has beside signatures are its manifests and its configuration. */
static gboolean read_image(step_walk *self, const char *folder, const json_t *image, GError **error)
{
    const char *id = json_string_value(json_object_get(image, "id"));
    const char *name = json_string_value(json_array_get(json_object_get(image, "names"), 0));
    json_t *keys = json_object_get(image, "big-data-names"), *each;
    size_t i;
    if (!id || strspn(id, "0123456789abcdef") != strlen(id))
        return unclear(error, "?");
    self->image = name ? name : id;
    json_array_foreach (keys, i, each) {
        const char *key = json_string_value(each);
        if (!key || g_str_has_prefix(key, "signature"))
            continue;
        g_autofree char *path = file_of(folder, id, key);
        if (!read_config(self, path, error))
            return FALSE;
    }
    return TRUE;
}

/* Adds to *COUNT how many there are. A storage that never had one has no list. */
static gboolean read_images(step_walk *self, const char *folder, json_int_t *count, GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autofree char *path = g_build_filename(folder, "images.json", NULL), *text = NULL;
    gsize length;
    if (!fs_read(AT_FDCWD, path, STORAGE_RECORD_MAX, &text, &length, &problem)) {
        if (g_error_matches(problem, G_FILE_ERROR, G_FILE_ERROR_NOENT))
            return TRUE;
        g_propagate_error(error, g_steal_pointer(&problem));
        return FALSE;
    }
    g_autoptr(json_t) images = json_loadb(text, length, 0, NULL);
    json_t *image;
    size_t i;
    if (!json_is_array(images)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL, "'%s' is no list of images", path);
        return FALSE;
    }
    json_array_foreach (images, i, image)
        if (!read_image(self, folder, image, error))
            return FALSE;
    *count += (json_int_t)json_array_size(images);
    return TRUE;
}

gboolean storage_steps_in(const json_t *info, storage_step_func func, gpointer data, GError **error)
{
    json_t *store = json_object_get(info, "store");
    json_t *number = json_object_get(json_object_get(store, "imageStore"), "number");
    const char *root, *driver;
    if (!storage_location(info, &root, &driver) || !json_is_integer(number)) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                            "podman does not say where its images are");
        return FALSE;
    }
    g_autofree char *folder = g_strconcat(root, "/", driver, "-images", NULL);
    step_walk walk = {NULL, func, data};
    json_int_t count = 0;
    if (!read_images(&walk, folder, &count, error))
        return FALSE;
    if (count >= json_integer_value(number))
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                "podman has images that are not in '%s', whose steps nobody has looked at: remove "
                "imagestore and additionalimagestores from storage.conf",
                folder);
    return FALSE;
}

gboolean storage_steps_each(podman_client *server, storage_step_func func, gpointer data,
                            GError **error)
{
    g_autoptr(json_t) info = podman_info(server, error);
    return info && storage_steps_in(info, func, data, error);
}
