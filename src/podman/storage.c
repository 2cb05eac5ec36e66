#include "podman/storage.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "common/error.h"
#include "common/fs.h"
#include "common/text.h"

/* Layers of one image; overlayfs allows 500 lower folders. */
#define LAYERS_DEPTH_MAX 512
#define ID_LENGTH 64
#define STEPS_DEPTH_MAX 64
/* Bytes of a record. A layer takes about 600. */
#define RECORD_MAX (32 << 20)

struct storage_layers {
    json_t *images, *layers;
    GHashTable *parents; /* layer -> its parent, or "" */
    char *folder;        /* of the layers' folders; NULL: unknown */
};

void storage_layers_free(storage_layers *self)
{
    json_decref(self->images);
    json_decref(self->layers);
    g_hash_table_unref(self->parents);
    g_free(self->folder);
    g_free(self);
}

/* The ID at KEY of OBJECT; NULL when it is not 64 hex digits. It becomes a part of a path. */
static const char *check_id(const char *id)
{
    return id && strlen(id) == ID_LENGTH && strspn(id, "0123456789abcdef") == ID_LENGTH ? id : NULL;
}

static const char *id_at(const json_t *object, const char *key)
{
    return check_id(json_string_value(json_object_get(object, key)));
}

static gboolean read_layers(storage_layers *self)
{
    json_t *layer;
    size_t i;
    json_array_foreach (self->layers, i, layer) {
        const char *id = id_at(layer, "id"), *parent = id_at(layer, "parent");
        if (!id)
            return FALSE;
        g_hash_table_insert(self->parents, (gpointer)id, (gpointer)(parent ? parent : ""));
    }
    return TRUE;
}

storage_layers *storage_layers_parse(const char *images, gsize images_length, const char *layers,
                                     gsize layers_length)
{
    g_autoptr(storage_layers) self = g_new0(storage_layers, 1);
    self->parents = g_hash_table_new(g_str_hash, g_str_equal);
    self->images = json_loadb(images, images_length, 0, NULL);
    self->layers = json_loadb(layers, layers_length, 0, NULL);
    if (!json_is_array(self->images) || !json_is_array(self->layers) || !read_layers(self))
        return NULL;
    return g_steal_pointer(&self);
}

/* Adds LAYER and the layers below it to SET, as far as it does not have them. */
static void add_chain(const storage_layers *self, GHashTable *set, const char *layer)
{
    for (int depth = 0; layer && *layer && depth < LAYERS_DEPTH_MAX; depth++) {
        /* The copies of one image lie on the same layers, so the rest is there already. */
        if (!g_hash_table_add(set, (gpointer)layer))
            return;
        layer = g_hash_table_lookup(self->parents, layer);
    }
}

static void add_image(const storage_layers *self, GHashTable *set, const json_t *image)
{
    json_t *copy;
    size_t i;
    add_chain(self, set, id_at(image, "layer"));
    json_array_foreach (json_object_get(image, "mapped-layers"), i, copy)
        add_chain(self, set, check_id(json_string_value(copy)));
}

GPtrArray *storage_layers_only_of(const storage_layers *self, GHashTable *gone)
{
    g_autoptr(GHashTable) kept = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) removed = g_hash_table_new(g_str_hash, g_str_equal);
    GPtrArray *only = g_ptr_array_new();
    GHashTableIter each;
    gpointer layer;
    json_t *image;
    size_t i;
    json_array_foreach (self->images, i, image) {
        const char *id = id_at(image, "id");
        add_image(self, id && g_hash_table_contains(gone, id) ? removed : kept, image);
    }
    g_hash_table_iter_init(&each, removed);
    while (g_hash_table_iter_next(&each, &layer, NULL))
        if (!g_hash_table_contains(kept, layer) && g_hash_table_contains(self->parents, layer))
            g_ptr_array_add(only, layer);
    return only;
}

char *storage_layers_folder(const storage_layers *self, const char *layer)
{
    return self->folder ? g_build_filename(self->folder, layer, NULL) : NULL;
}

static gboolean layer_may_have(const char *layer, const char *path)
{
    int fd = fs_open_below(layer, path, O_PATH);
    /* Behind a link, or in a folder that cannot be read, it may be. */
    gboolean is_missing = fd < 0 && (errno == ENOENT || errno == ENOTDIR);
    if (fd >= 0)
        close(fd);
    return !is_missing;
}

gboolean storage_may_have(const json_t *image, const char *path)
{
    json_t *data = json_object_get(json_object_get(image, "GraphDriver"), "Data");
    const char *upper = json_string_value(json_object_get(data, "UpperDir"));
    const char *lower = json_string_value(json_object_get(data, "LowerDir"));
    gboolean are_trees = FALSE; /* and not files by their hashes, or folders of another machine */
    if (!upper)
        return TRUE;
    g_autofree char *all = lower ? g_strconcat(upper, ":", lower, NULL) : g_strdup(upper);
    g_auto(GStrv) layers = g_strsplit(all, ":", -1);
    for (char **layer = layers; *layer; layer++) {
        if (layer_may_have(*layer, path + strspn(path, "/")))
            return TRUE;
        are_trees |= layer_may_have(*layer, "etc");
    }
    return !are_trees;
}

static storage_layers *read_storage(const char *root, const char *driver)
{
    g_autofree char *images_tail = g_strconcat(driver, "-images/images.json", NULL);
    g_autofree char *layers_tail = g_strconcat(driver, "-layers/layers.json", NULL);
    g_autofree char *images_path = g_build_filename(root, images_tail, NULL);
    g_autofree char *layers_path = g_build_filename(root, layers_tail, NULL);
    g_autofree char *images = NULL, *layers = NULL;
    gsize images_length, layers_length;
    if (!fs_read(AT_FDCWD, images_path, RECORD_MAX, &images, &images_length, NULL) ||
        !fs_read(AT_FDCWD, layers_path, RECORD_MAX, &layers, &layers_length, NULL))
        return NULL;
    storage_layers *self = storage_layers_parse(images, images_length, layers, layers_length);
    if (self)
        self->folder = g_build_filename(root, driver, NULL);
    return self;
}

/* The storage's folder, an absolute path, and its driver's name, from what INFO (podman_info(), may
 * be NULL) says; FALSE: it does not. */
static gboolean location_in_info(const json_t *info, char **root, char **driver)
{
    json_t *store = json_object_get(info, "store");
    const char *folder = json_string_value(json_object_get(store, "graphRoot"));
    const char *name = json_string_value(json_object_get(store, "graphDriverName"));
    if (!folder || !g_path_is_absolute(folder) || !name)
        return FALSE;
    *root = g_strdup(folder);
    *driver = g_strdup(name);
    return TRUE;
}

/* PATH (may be NULL) without its last part; NULL when that is not NAME, or with no NAME no layer's
 * ID. */
static char *without_last(const char *path, const char *name)
{
    g_autofree char *last = path ? g_path_get_basename(path) : NULL;
    if (!last || (name ? strcmp(last, name) != 0 : !check_id(last)))
        return NULL;
    return g_path_get_dirname(path);
}

gboolean storage_location_of_image(const json_t *image, char **root, char **driver)
{
    json_t *graph = json_object_get(image, "GraphDriver");
    const char *name = json_string_value(json_object_get(graph, "Name"));
    const char *upper =
        json_string_value(json_object_get(json_object_get(graph, "Data"), "UpperDir"));
    if (!name || !upper || !g_path_is_absolute(upper))
        return FALSE;
    g_autofree char *layer = without_last(upper, "diff");
    g_autofree char *layers = without_last(layer, NULL);
    *root = without_last(layers, name);
    *driver = *root ? g_strdup(name) : NULL;
    return *root != NULL;
}

/* Where the storage is that has IMAGE (may be NULL). "info" is asked last: Podman looks up for it
 * which packages its programs are of, which takes Debian's half a second. */
static gboolean find_storage(podman_client *server, const char *image, char **root, char **driver)
{
    g_autoptr(json_t) inspected = image ? podman_image_inspect(server, image, NULL) : NULL;
    if (storage_location_of_image(inspected, root, driver))
        return TRUE;
    g_autoptr(json_t) info = podman_info(server, NULL);
    return location_in_info(info, root, driver);
}

storage_layers *storage_layers_read(podman_client *server, const char *image)
{
    g_autofree char *root = NULL, *driver = NULL;
    /* Where the others keep a layer is not worth knowing: rootless Podman uses this one. */
    if (!find_storage(server, image, &root, &driver) || strcmp(driver, "overlay") != 0)
        return NULL;
    return read_storage(root, driver);
}

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
    if (fs_read(AT_FDCWD, path, RECORD_MAX, &text, &length, &problem))
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
static gboolean read_images(step_walk *self, const char *folder, gsize *count, GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autofree char *path = g_build_filename(folder, "images.json", NULL), *text = NULL;
    gsize length;
    if (!fs_read(AT_FDCWD, path, RECORD_MAX, &text, &length, &problem)) {
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
    *count += json_array_size(images);
    return TRUE;
}

gboolean storage_steps_in(const char *root, const char *driver, gsize number,
                          storage_step_func func, gpointer data, GError **error)
{
    g_autofree char *folder = g_strconcat(root, "/", driver, "-images", NULL);
    step_walk walk = {NULL, func, data};
    gsize count = 0;
    if (!read_images(&walk, folder, &count, error))
        return FALSE;
    if (count >= number)
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
    g_autoptr(json_t) images = podman_image_list_all(server, error);
    g_autofree char *root = NULL, *driver = NULL;
    if (!images)
        return FALSE;
    if (!find_storage(server, id_at(json_array_get(images, 0), "Id"), &root, &driver)) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                            "podman does not say where its images are");
        return FALSE;
    }
    return storage_steps_in(root, driver, json_array_size(images), func, data, error);
}
