#include "box/snapshot/object_store.h"
#include "box/snapshot/snapshot.h"
#include "console/log.h"

/* First the names, then what nothing names any more: the next drop does what a kill has left. */
gboolean snapshot_drop(const struct box *self, const GArray *numbers, guint64 *freed,
                       GError **error)
{
    g_autoptr(object_store) store = object_store_open(error);
    g_autoptr(GHashTable) used =
        g_hash_table_new_full(object_id_hash, object_id_equal, g_free, NULL);
    if (!store)
        return FALSE;
    for (guint i = 0; i < numbers->len; i++)
        if (!snapshot_remove(self, g_array_index(numbers, guint, i), error))
            return FALSE;
    log_step("removing what no snapshot needs any more");
    gboolean done =
        snapshot_files_used(used, error) && object_store_collect(store, used, freed, error);
    log_step_done();
    return done;
}
