#include "podman/storage_layers.h"

#include <fcntl.h>
#include <string.h>

#include "common/fs.h"

/* Layers of one image; overlayfs allows 500 lower folders. */
#define LAYERS_DEPTH_MAX 512
#define ID_LENGTH 64

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

static storage_layers *read_storage(const char *root, const char *driver)
{
    g_autofree char *images_tail = g_strconcat(driver, "-images/images.json", NULL);
    g_autofree char *layers_tail = g_strconcat(driver, "-layers/layers.json", NULL);
    g_autofree char *images_path = g_build_filename(root, images_tail, NULL);
    g_autofree char *layers_path = g_build_filename(root, layers_tail, NULL);
    g_autofree char *images = NULL, *layers = NULL;
    gsize images_length, layers_length;
    if (!fs_read(AT_FDCWD, images_path, STORAGE_RECORD_MAX, &images, &images_length, NULL) ||
        !fs_read(AT_FDCWD, layers_path, STORAGE_RECORD_MAX, &layers, &layers_length, NULL))
        return NULL;
    storage_layers *self = storage_layers_parse(images, images_length, layers, layers_length);
    if (self)
        self->folder = g_build_filename(root, driver, NULL);
    return self;
}

gboolean storage_location(const json_t *info, const char **root, const char **driver)
{
    json_t *store = json_object_get(info, "store");
    *root = json_string_value(json_object_get(store, "graphRoot"));
    *driver = json_string_value(json_object_get(store, "graphDriverName"));
    return *root && g_path_is_absolute(*root) && *driver;
}

storage_layers *storage_layers_read(podman_client *server)
{
    g_autoptr(json_t) info = podman_info(server, NULL);
    const char *root, *driver;
    /* Where the others keep a layer is not worth knowing: rootless Podman uses this one. */
    if (!storage_location(info, &root, &driver) || strcmp(driver, "overlay") != 0)
        return NULL;
    return read_storage(root, driver);
}
