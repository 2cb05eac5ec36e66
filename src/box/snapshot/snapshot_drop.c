#include <unistd.h>

#include "box/snapshot/object_store.h"
#include "box/snapshot/snapshot.h"
#include "box/snapshot/system_image.h"
#include "common/paths.h"
#include "console/log.h"

static gboolean collect(object_store *store, guint64 *freed, GError **error)
{
    g_autoptr(GHashTable) used =
        g_hash_table_new_full(object_id_hash, object_id_equal, g_free, NULL);
    log_step("removing what no snapshot needs any more");
    gboolean done =
        snapshot_files_used(used, error) && object_store_collect(store, used, freed, error);
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
    gboolean done = collect(store, freed, error);
    g_clear_pointer(&store, object_store_close);
    if (images)
        system_images_collect_or_warn();
    return done;
}

gboolean snapshot_collect(guint64 *freed, GError **error)
{
    g_autofree char *lock = paths_data(OBJECT_STORE_LOCK);
    *freed = 0;
    if (access(lock, F_OK) < 0)
        return TRUE;
    g_autoptr(object_store) store = object_store_open(error);
    return store && collect(store, freed, error);
}
