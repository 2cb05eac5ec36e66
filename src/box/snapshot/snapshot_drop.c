#include <errno.h>
#include <unistd.h>

#include "box/lifecycle/removal.h"
#include "box/snapshot/object_store.h"
#include "box/snapshot/snapshot.h"
#include "box/snapshot/system_image.h"
#include "common/paths.h"
#include "common/units.h"
#include "console/log.h"

GArray *retention_choose(const snapshot_age *rows, guint count, gint64 now, gint64 keep,
                         gint64 keep_for)
{
    GArray *gone = g_array_new(FALSE, FALSE, sizeof(guint));
    gint64 newer = 0;
    for (guint i = count; i-- > 0;) {
        if (rows[i].reason == SNAPSHOT_BY_USER)
            continue;
        if (newer && (newer >= keep || now - rows[i].time > keep_for))
            g_array_prepend_val(gone, rows[i].number);
        newer++;
    }
    return gone;
}

static gboolean collect(object_store *store, gboolean dry, guint64 *freed, GError **error)
{
    g_autoptr(GHashTable) used =
        g_hash_table_new_full(object_id_hash, object_id_equal, g_free, NULL);
    if (!dry)
        log_step("removing what no snapshot needs any more");
    gboolean done =
        snapshot_files_used(used, error) && object_store_collect(store, used, dry, freed, error);
    log_step_done();
    return done;
}

static gboolean has_image(const struct box *self, guint number)
{
    snapshot_header header;
    if (!snapshot_read_header(self, number, &header, NULL))
        return FALSE;
    gboolean has = header.has[SNAPSHOT_SYSTEM];
    snapshot_header_clear(&header);
    return has;
}

/* First the names, then what nothing names any more: the next drop does what a kill has left. */
gboolean snapshot_drop(const struct box *self, const GArray *numbers, guint64 *freed,
                       GError **error)
{
    g_autoptr(object_store) store = object_store_open(error);
    gboolean images = FALSE;
    if (!store)
        return FALSE;
    for (guint i = 0; i < numbers->len; i++) {
        guint number = g_array_index(numbers, guint, i);
        images |= has_image(self, number);
        if (!snapshot_remove(self, number, error))
            return FALSE;
    }
    gboolean done = collect(store, FALSE, freed, error);
    g_clear_pointer(&store, object_store_close);
    if (images)
        system_images_collect_or_warn();
    return done;
}

static gboolean open_and_collect(gboolean dry, guint64 *freed, GError **error)
{
    g_autofree char *lock = paths_data(OBJECT_STORE_LOCK);
    *freed = 0;
    if (access(lock, F_OK) < 0)
        return TRUE;
    g_autoptr(object_store) store = object_store_open(error);
    return store && collect(store, dry, freed, error);
}

gboolean snapshot_collect(guint64 *freed, GError **error)
{
    return open_and_collect(FALSE, freed, error);
}

static gboolean remove_contents(const removal *item, podman_client *server, gboolean *removed,
                                GError **error)
{
    guint64 freed;
    gboolean done = snapshot_collect(&freed, error);
    *removed = freed > 0;
    return done;
}

gboolean snapshot_plan_contents(GPtrArray *items, GError **error)
{
    guint64 bytes;
    if (!open_and_collect(TRUE, &bytes, error))
        return FALSE;
    g_autofree char *size = units_format_size((gint64)bytes);
    if (bytes)
        removals_add(items, remove_contents, "",
                     g_strdup_printf("contents of snapshots that are gone (%s)", size));
    return TRUE;
}

gboolean snapshot_remove_store(GError **error)
{
    g_autofree char *path = paths_data("snapshots"), *boxes = paths_data("boxes");
    g_autoptr(GHashTable) used =
        g_hash_table_new_full(object_id_hash, object_id_equal, g_free, NULL);
    g_autoptr(object_store) store = object_store_open(error);
    gboolean none = access(boxes, F_OK) < 0 && errno == ENOENT;
    if (!store || (!none && !snapshot_files_used(used, error)))
        return FALSE;
    if (!g_hash_table_size(used))
        return discard_tree(path, error);
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_STATE,
                        "snapshots of homes that stay need them");
    return FALSE;
}

/* Those of SELF; of snapshot_age. */
static GArray *ages_of(const struct box *self)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(snapshot_age));
    g_autoptr(GArray) numbers = snapshot_numbers(self);
    for (guint i = 0; i < numbers->len; i++) {
        snapshot_header header;
        guint number = g_array_index(numbers, guint, i);
        if (!snapshot_read_header(self, number, &header, NULL))
            continue;
        snapshot_age row = {number, header.time, header.reason};
        g_array_append_val(rows, row);
        snapshot_header_clear(&header);
    }
    return rows;
}

static gboolean drop_old(const struct box *self, const settings *wanted, GError **error)
{
    guint64 freed = 0;
    g_autoptr(GArray) rows = ages_of(self);
    g_autoptr(GArray) gone = retention_choose((const snapshot_age *)(void *)rows->data, rows->len,
                                              g_get_real_time() / G_USEC_PER_SEC,
                                              wanted->snapshot.keep, wanted->snapshot.keep_for);
    return !gone->len || snapshot_drop(self, gone, &freed, error);
}

gboolean snapshot_auto(const struct box *self, const settings *wanted, gboolean home,
                       gboolean project, guint *number, GError **error)
{
    g_autoptr(GError) problem = NULL;
    snapshot_options how = {.parts = {home && access(self->home, F_OK) == 0, project},
                            .reason = SNAPSHOT_AUTO,
                            .wanted = wanted};
    *number = 0;
    if (!wanted->snapshot.keep || (!how.parts[SNAPSHOT_HOME] && !project) ||
        (snapshot_create(self, &how, number, &problem) && drop_old(self, wanted, &problem)))
        return TRUE;
    if (g_error_matches(problem, BOX_ERROR, BOX_ERROR_CANCELLED)) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return FALSE;
    }
    log_warning(*number ? "old snapshots are still there: %s"
                        : "there is no snapshot of what is there now: %s",
                problem->message);
    return TRUE;
}
