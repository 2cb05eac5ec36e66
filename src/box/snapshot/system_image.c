#include "box/snapshot/system_image.h"

#include <string.h>
#include <unistd.h>

#include "box/lifecycle/container_diff.h"
#include "box/lifecycle/image_source.h"
#include "box/lifecycle/lifecycle.h"
#include "box/lifecycle/made_images.h"
#include "box/lifecycle/replace.h"
#include "box/session/freeze.h"
#include "box/snapshot/object_store.h"
#include "box/snapshot/restore.h"
#include "box/snapshot/snapshot_files.h"
#include "box/snapshot/snapshot_scan.h"
#include "common/paths.h"
#include "common/text.h"
#include "common/units.h"
#include "console/log.h"
#include "podman/reply.h"

/* A box stands still for no longer. Less than the patience of 'box stop'. */
#define PAUSE_MS 4000

/* The container of SELF, which has files of its own. NULL with ERROR. */
static box_container *find_container(const struct box *self, podman_client *server, GError **error)
{
    g_autoptr(box_container) now = box_container_inspect(self, server, error);
    if (now && now->state == BOX_MISSING)
        g_set_error(error, BOX_ERROR, BOX_ERROR_STATE,
                    "box '%s' has no container: nothing is installed in it", self->name);
    else if (now && !container_diff_is_possible(now))
        g_set_error(error, BOX_ERROR, BOX_ERROR_STATE,
                    "box '%s' has no files of its own outside of its home: its root is read-only",
                    self->name);
    else
        return g_steal_pointer(&now);
    return NULL;
}

/* The ID of the new image, a new string. CONTAINER is an ID: after 'box apply' the name is that of
 * another one. */
static char *commit(const struct box *self, const char *container, podman_client *server,
                    snapshot_header *header, GError **error)
{
    g_autofree char *prefix = image_snapshots_prefix();
    g_autofree char *repository = g_strconcat(prefix, self->name, NULL);
    g_autofree char *tag = text_new_id();
    g_autoptr(GArray) inits = snapshot_find_inits(self, FALSE);
    freeze *held = inits->len ? freeze_begin(inits, PAUSE_MS) : NULL;
    char *id = podman_container_commit(server, container, repository, tag, error);
    gboolean was_paused = freeze_end(held);
    g_autoptr(GArray) later = snapshot_find_inits(self, FALSE);
    if (inits->len || later->len) {
        header->paused = was_paused && snapshot_none_started(inits, later) &&
                         (header->paused || !header->running);
        header->running = TRUE;
    }
    return id;
}

gboolean system_image_save(const struct box *self, podman_client *server, snapshot_header *header,
                           GError **error)
{
    g_autoptr(box_container) now = find_container(self, server, error);
    g_autofree char *id = now ? commit(self, now->id, server, header, error) : NULL;
    if (!id)
        return FALSE;
    if (!object_id_scan(id, &header->image) || !now->base_image ||
        !object_id_scan(now->base_image, &header->base)) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                            "podman does not say which image it has made");
        return FALSE;
    }
    /* Podman does not say it of an image. */
    gint64 size = podman_container_size(server, now->id, NULL);
    snapshot_sum *sum = &header->sum[SNAPSHOT_SYSTEM];
    sum->bytes = sum->stored = (guint64)MAX(size, 0);
    header->has[SNAPSHOT_SYSTEM] = TRUE;
    return TRUE;
}

/* The name by which IMAGE, of Podman's list, is one of ours: its ID when it has lost that. NULL. */
static const char *find_name(const json_t *image)
{
    g_autofree char *prefix = image_snapshots_prefix();
    const char *now = made_image_find_name(image, "Names", prefix);
    /* With another one, which the user has given it, it is not ours any more. */
    if (now || json_array_size(json_object_get(image, "Names")))
        return now;
    return made_image_find_name(image, "History", prefix) ? reply_text(image, "Id") : NULL;
}

/* A container or an image that has come since keeps it. */
static gboolean remove_image(const removal *item, podman_client *server, gboolean *removed,
                             GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(object_store) store = object_store_open(error);
    g_autoptr(GHashTable) kept = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    *removed = FALSE;
    if (!store || !snapshot_files_images(kept, error))
        return FALSE;
    if (g_hash_table_contains(kept, item->image))
        return TRUE;
    *removed = podman_image_remove(server, item->name, &problem);
    if (!problem || g_error_matches(problem, BOX_ERROR, BOX_ERROR_NOT_FOUND) ||
        g_error_matches(problem, BOX_ERROR, BOX_ERROR_CONFLICT))
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&problem));
    return FALSE;
}

/* TRUE when a row of LIST has ID at KEY, and is not one of GONE. */
static gboolean is_needed(const json_t *list, const char *key, const char *id, GHashTable *gone)
{
    const json_t *row;
    size_t i;
    json_array_foreach (list, i, row)
        if (strcmp(reply_text(row, key), id) == 0 &&
            !g_hash_table_contains(gone, reply_text(row, "Id")))
            return TRUE;
    return FALSE;
}

static void list_image(GPtrArray *items, const json_t *image, const char *name)
{
    const char *id = reply_text(image, "Id");
    g_autofree char *safe = text_safe(name, -1);
    g_autofree char *time =
        units_format_time(json_integer_value(json_object_get(image, "Created")));
    char *what = g_strdup_printf("image '%s' of a snapshot, made %s", safe, time);
    removals_add(items, remove_image, name, what)->image = g_strdup(id);
}

static gint compare_newest(gconstpointer a, gconstpointer b)
{
    json_int_t one = json_integer_value(json_object_get(*(json_t *const *)a, "Created"));
    json_int_t other = json_integer_value(json_object_get(*(json_t *const *)b, "Created"));
    return one < other ? 1 : one > other ? -1 : 0;
}

/* Of IMAGES, Podman's list; the newest first. Of json_t of the list. */
static GPtrArray *ours_of(const json_t *images)
{
    GPtrArray *ours = g_ptr_array_new();
    json_t *image;
    size_t i;
    json_array_foreach (images, i, image)
        if (find_name(image))
            g_ptr_array_add(ours, image);
    g_ptr_array_sort(ours, compare_newest);
    return ours;
}

gboolean system_images_plan(GPtrArray *items, podman_client *server, gboolean all, GError **error)
{
    g_autoptr(json_t) images = podman_image_list_all(server, error);
    g_autoptr(GPtrArray) ours = images ? ours_of(images) : NULL;
    if (!ours || !ours->len)
        return ours != NULL;
    g_autoptr(json_t) containers = podman_container_list(server, NULL, error);
    g_autoptr(GHashTable) kept = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) gone = g_hash_table_new(g_str_hash, g_str_equal);
    if (!containers || (!all && !snapshot_files_images(kept, error)))
        return FALSE;
    /* Of two that were made in one second either may be on the other. */
    for (guint i = 0; i < ours->len;) {
        const json_t *image = ours->pdata[i++];
        const char *id = reply_text(image, "Id");
        if (g_hash_table_contains(gone, id) || g_hash_table_contains(kept, id) ||
            is_needed(images, "ParentId", id, gone) ||
            (!all && is_needed(containers, "ImageID", id, gone)))
            continue;
        g_hash_table_add(gone, (gpointer)id);
        list_image(items, image, find_name(image));
        i = 0;
    }
    return TRUE;
}

gboolean system_images_collect(podman_client *server, GError **error)
{
    g_autoptr(GPtrArray) items = removals_new();
    gboolean done = system_images_plan(items, server, FALSE, error), removed;
    for (guint i = 0; done && i < items->len; i++) {
        const removal *item = items->pdata[i];
        done = item->remove(item, server, &removed, error);
    }
    return done;
}

void system_images_collect_or_warn(void)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(podman_client) server = podman_connect(&problem);
    if (!server || !system_images_collect(server, &problem))
        log_warning("an image that no snapshot needs any more is left, which 'box prune' removes: "
                    "%s",
                    problem->message);
}

/*
 * The container is recreated from the snapshot's image by the steps of 'box apply'
 * (box/lifecycle/replace.h): it changes places with the old one only when it has started.
 */

/* The image of snapshot NUMBER, which Podman still has. FALSE with ERROR. */
static gboolean find_image(const struct box *self, guint number, podman_client *server,
                           char image[OBJECT_ID_TEXT], char base[OBJECT_ID_TEXT], GError **error)
{
    snapshot_header header;
    if (!snapshot_read_header(self, number, &header, error))
        return FALSE;
    object_id_print(&header.image, image);
    object_id_print(&header.base, base);
    snapshot_header_clear(&header);
    g_autoptr(GError) problem = NULL;
    if (podman_image_exists(server, image, &problem))
        return TRUE;
    if (problem)
        g_propagate_error(error, g_steal_pointer(&problem));
    else
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                    "the image of snapshot %u is gone: somebody has removed it with Podman",
                    number);
    return FALSE;
}

/* What is there becomes a snapshot. *BEFORE stays 0 where there is nothing. */
static gboolean save_system(const struct box *self, const settings *wanted, podman_client *server,
                            guint *before, GError **error)
{
    g_autoptr(box_container) now = box_container_inspect(self, server, error);
    snapshot_options how = {.parts = {[SNAPSHOT_SYSTEM] = TRUE},
                            .reason = SNAPSHOT_BEFORE_RESTORE,
                            .wanted = wanted,
                            .server = server};
    return now && (now->state == BOX_MISSING || snapshot_create(self, &how, before, error));
}

gboolean restore_system(struct box *self, guint number, const settings *wanted,
                        podman_client *server, guint *before, GError **error)
{
    char image[OBJECT_ID_TEXT], base[OBJECT_ID_TEXT];
    int lock = box_lock_registered(self, error);
    if (lock < 0)
        return FALSE;
    *before = 0;
    gboolean done = find_image(self, number, server, image, base, error) &&
                    replace_repair(self, server, error) && box_stop(self, server, error) &&
                    save_system(self, wanted, server, before, error) &&
                    box_recreate_on(self, server, &(box_layer){image, base}, error);
    close(lock);
    return done;
}
