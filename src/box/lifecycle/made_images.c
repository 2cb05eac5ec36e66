#include "box/lifecycle/made_images.h"

#include <string.h>

#include "box/lifecycle/image.h"
#include "box/lifecycle/image_source.h"
#include "box/registry/box.h"
#include "common/paths.h"
#include "common/text.h"
#include "common/units.h"
#include "plan/plan.h"
#include "podman/reply.h"
#include "podman/storage.h"

#define SHORT_ID 12

struct made_images {
    GPtrArray *all; /* of made_image */
    podman_client *server;
    gboolean knows_layers;
    storage_layers *layers; /* once they are known; NULL: unreadable */
    GHashTable *gone;       /* IDs of images that the plan removes */
    GHashTable *counted;    /* layers whose size an item of the plan has */
};

static void image_free(gpointer data)
{
    made_image *self = data;
    g_free(self->id);
    g_free(self->parent);
    g_ptr_array_unref(self->names);
    g_ptr_array_unref(self->users);
    g_free(self->made_for);
    g_free(self);
}

void made_images_free(made_images *self)
{
    g_ptr_array_unref(self->all);
    g_clear_pointer(&self->layers, storage_layers_free);
    g_hash_table_unref(self->gone);
    g_hash_table_unref(self->counted);
    g_free(self);
}

const char *made_image_find_name(const json_t *image, const char *key, const char *prefix)
{
    json_t *name;
    size_t i;
    json_array_foreach (json_object_get(image, key), i, name) {
        const char *text = json_string_value(name);
        if (text && g_str_has_prefix(text, prefix))
            return text;
    }
    return NULL;
}

static const char *find_name_ever(const json_t *image, const char *prefix)
{
    const char *now = made_image_find_name(image, "Names", prefix);
    return now ? now : made_image_find_name(image, "History", prefix);
}

/* A layer of [box] packages: any box may ask for it, and has it built again when it is gone. */
static gboolean is_layer(const json_t *image)
{
    g_autofree char *prefix = image_tag_prefix();
    g_autofree char *layers = g_strconcat(prefix, IMAGE_PACKAGES_TAG, NULL);
    return *reply_text(json_object_get(image, "Labels"), IMAGE_LABEL_PACKAGES) &&
           find_name_ever(image, layers);
}

static gboolean is_snapshot(const json_t *image)
{
    g_autofree char *prefix = image_snapshots_prefix();
    return find_name_ever(image, prefix) != NULL;
}

static char *describe_maker(const json_t *image)
{
    const json_t *labels = json_object_get(image, "Labels");
    const char *source = reply_text(labels, IMAGE_LABEL_SOURCE),
               *of = reply_text(labels, IMAGE_LABEL_BOX);
    g_autofree char *prefix = image_tag_prefix(), *bootstrap = image_bootstrap_source();
    g_autofree char *template_prefix = g_strconcat(prefix, IMAGE_TEMPLATE_TAG, NULL);
    const char *template = find_name_ever(image, template_prefix);
    if (is_snapshot(image))
        return g_strconcat("snapshot of box ", box_name_is_valid(of) ? of : "?", NULL);
    if (!*source)
        return NULL;
    if (strcmp(source, bootstrap) == 0 && find_name_ever(image, IMAGE_BOOTSTRAP_PREFIX))
        return g_strdup("bootstrap");
    if (!find_name_ever(image, prefix))
        return NULL;
    if (is_layer(image))
        return g_strconcat("packages ", reply_text(labels, IMAGE_LABEL_PACKAGES), NULL);
    if (template) {
        const char *name = template + strlen(template_prefix);
        return g_strdup_printf("template %.*s", (int)strcspn(name, ":"), name);
    }
    return g_strconcat("box ", box_name_is_valid(of) ? of : "?", NULL);
}

static made_image *read_image(const json_t *image)
{
    made_image *self = g_new0(made_image, 1);
    json_t *name;
    size_t i;
    self->id = g_strdup(reply_text(image, "Id"));
    self->parent = g_strdup(reply_text(image, "ParentId"));
    self->names = g_ptr_array_new_with_free_func(g_free);
    self->users = g_ptr_array_new_with_free_func(g_free);
    self->made_for = describe_maker(image);
    self->is_snapshot = self->made_for && is_snapshot(image);
    self->is_layer = self->made_for && !self->is_snapshot && is_layer(image);
    self->size = json_integer_value(json_object_get(image, "Size"));
    self->created = json_integer_value(json_object_get(image, "Created"));
    json_array_foreach (json_object_get(image, "Names"), i, name)
        if (json_is_string(name))
            g_ptr_array_add(self->names, g_strdup(json_string_value(name)));
    return self;
}

static made_image *find_by_id(const made_images *self, const char *id)
{
    for (guint i = 0; i < self->all->len; i++) {
        made_image *image = self->all->pdata[i];
        if (strcmp(image->id, id) == 0)
            return image;
    }
    return NULL;
}

static void add_users(made_images *self, const json_t *containers, GHashTable *ignored)
{
    const json_t *container;
    size_t i;
    json_array_foreach (containers, i, container) {
        const json_t *labels = json_object_get(container, "Labels");
        const char *name =
            json_string_value(json_array_get(json_object_get(container, "Names"), 0));
        const char *of = reply_text(labels, PLAN_LABEL_BOX);
        gboolean is_box = strcmp(reply_text(labels, PLAN_LABEL_INSTANCE), paths_instance()) == 0 &&
                          json_object_get(labels, PLAN_LABEL_INSTANCE) && box_name_is_valid(of);
        made_image *image = find_by_id(self, reply_text(container, "ImageID"));
        if (image && !(name && ignored && g_hash_table_contains(ignored, name)))
            g_ptr_array_add(image->users, g_strdup(is_box ? of : name ? name : "?"));
    }
}

static gint compare_age(gconstpointer a, gconstpointer b)
{
    const made_image *one = *(const made_image *const *)a, *other = *(const made_image *const *)b;
    return one->created != other->created ? (one->created > other->created) * 2 - 1
                                          : strcmp(one->id, other->id);
}

made_images *made_images_find(podman_client *server, GHashTable *ignored, GError **error)
{
    g_autoptr(json_t) images = podman_image_list_all(server, error);
    g_autoptr(json_t) containers = images ? podman_container_list(server, NULL, error) : NULL;
    json_t *image;
    size_t i;
    if (!containers)
        return NULL;
    made_images *self = g_new0(made_images, 1);
    self->all = g_ptr_array_new_with_free_func(image_free);
    self->gone = g_hash_table_new(g_str_hash, g_str_equal);
    self->counted = g_hash_table_new(g_str_hash, g_str_equal);
    json_array_foreach (images, i, image)
        g_ptr_array_add(self->all, read_image(image));
    g_ptr_array_sort(self->all, compare_age);
    add_users(self, containers, ignored);
    self->server = server;
    return self;
}

GPtrArray *made_images_list(const made_images *self)
{
    GPtrArray *list = g_ptr_array_new();
    for (guint i = 0; i < self->all->len; i++) {
        made_image *image = self->all->pdata[i];
        if (image->made_for)
            g_ptr_array_add(list, image);
    }
    return list;
}

char *made_image_title(const made_image *image)
{
    return image->names->len ? g_strdup(image->names->pdata[0])
                             : g_strdup_printf("<%.*s>", SHORT_ID, image->id);
}

/* TRUE when an image that is not in GONE was built on IMAGE. */
static gboolean has_child(const made_images *self, GHashTable *gone, const made_image *image)
{
    for (guint i = 0; i < self->all->len; i++) {
        const made_image *child = self->all->pdata[i];
        if (strcmp(child->parent, image->id) == 0 && !g_hash_table_contains(gone, child->id))
            return TRUE;
    }
    return FALSE;
}

/* Adds IMAGE to GONE, with the nameless images that only it was built on: Podman removes them with
 * it. */
static void go(const made_images *self, GHashTable *gone, const made_image *image)
{
    for (guint depth = 0; image && depth <= self->all->len; depth++) {
        g_hash_table_add(gone, image->id);
        image = *image->parent ? find_by_id(self, image->parent) : NULL;
        if (image && (image->names->len || image->users->len || has_child(self, gone, image)))
            return;
    }
}

/* Read when the first IMAGE is measured; most plans have none. NULL: unreadable. */
static const storage_layers *layers_of(made_images *self, const made_image *image)
{
    if (!self->knows_layers)
        self->layers = storage_layers_read(self->server, image->id);
    self->knows_layers = TRUE;
    return self->layers;
}

/* Bytes of the layers that go with GONE, of which IMAGE is one, and are not in COUNTED, which gets
 * them. */
static gint64 count_layers(made_images *self, const made_image *image, GHashTable *gone,
                           GHashTable *counted)
{
    const storage_layers *layers = layers_of(self, image);
    gint64 bytes = 0;
    if (!layers)
        return -1;
    g_autoptr(GPtrArray) only = storage_layers_only_of(layers, gone);
    for (guint i = 0; i < only->len; i++) {
        g_autofree char *folder = storage_layers_folder(layers, only->pdata[i]);
        if (folder && g_hash_table_add(counted, only->pdata[i]))
            bytes += discard_tree_frees(folder);
    }
    return bytes;
}

gint64 made_images_freed_by(made_images *self, const made_image *image)
{
    g_autoptr(GHashTable) gone = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) counted = g_hash_table_new(g_str_hash, g_str_equal);
    go(self, gone, image);
    return count_layers(self, image, gone, counted);
}

/* NAME must still have its ID. A container or an image that has come since keeps it. */
static gboolean remove_image(const removal *item, podman_client *server, gboolean *removed,
                             GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(json_t) now = podman_image_inspect(server, item->name, &problem);
    *removed = now && strcmp(reply_text(now, "Id"), item->image) == 0 &&
               podman_image_remove(server, item->name, &problem);
    if (!problem || g_error_matches(problem, BOX_ERROR, BOX_ERROR_NOT_FOUND) ||
        g_error_matches(problem, BOX_ERROR, BOX_ERROR_CONFLICT))
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&problem));
    return FALSE;
}

static void plan_image(made_images *self, GPtrArray *items, const made_image *image,
                       const char *name, gboolean goes)
{
    if (goes)
        go(self, self->gone, image);
    gint64 bytes = goes ? count_layers(self, image, self->gone, self->counted) : 0;
    g_autofree char *size = bytes >= 0 ? units_format_size(bytes) : g_strdup("size unknown");
    g_autofree char *title = name ? g_strdup(name) : made_image_title(image);
    g_autofree char *safe = text_safe(title, -1), *made_for = text_safe(image->made_for, -1);
    g_autofree char *time = units_format_time(image->created);
    char *what = g_strdup_printf("%simage '%s' of %s, built %s (%s)", name ? "" : "replaced ", safe,
                                 made_for, time, size);
    removals_add(items, remove_image, name ? name : image->id, what)->image = g_strdup(image->id);
}

/* A name that Litterbox gave: others of the same image belong to the user. */
static gboolean is_own_name(const made_image *image, const char *name)
{
    g_autofree char *prefix = image_tag_prefix();
    return g_str_has_prefix(name, prefix) || (strcmp(image->made_for, "bootstrap") == 0 &&
                                              g_str_has_prefix(name, IMAGE_BOOTSTRAP_PREFIX));
}

static void plan_names(made_images *self, GPtrArray *items, const made_image *image)
{
    guint own = 0;
    for (guint i = 0; i < image->names->len; i++)
        own += is_own_name(image, image->names->pdata[i]);
    for (guint i = 0, left = image->names->len; i < image->names->len; i++)
        if (is_own_name(image, image->names->pdata[i]))
            plan_image(self, items, image, image->names->pdata[i],
                       own == image->names->len && --left == 0 &&
                           !has_child(self, self->gone, image));
}

static gboolean may_go(const made_images *self, const made_image *image)
{
    return image->made_for && !image->is_snapshot && !image->users->len &&
           !g_hash_table_contains(self->gone, image->id);
}

void made_images_plan_replaced(made_images *self, GPtrArray *items)
{
    /* The youngest first, for one may have been built on an older one. */
    for (guint i = self->all->len; i > 0; i--) {
        const made_image *image = self->all->pdata[i - 1];
        if (!may_go(self, image) || has_child(self, self->gone, image))
            continue;
        if (image->is_layer && image->names->len)
            plan_names(self, items, image);
        else if (!image->names->len)
            plan_image(self, items, image, NULL, TRUE);
    }
}

void made_images_plan_all(made_images *self, GPtrArray *items)
{
    for (guint i = self->all->len; i > 0; i--) {
        const made_image *image = self->all->pdata[i - 1];
        if (!may_go(self, image))
            continue;
        if (image->names->len)
            plan_names(self, items, image);
        else if (!has_child(self, self->gone, image))
            plan_image(self, items, image, NULL, TRUE);
    }
}
