#include "box/snapshot/compare.h"

#include <string.h>

static gboolean is_equal(const snapshot_entry *a, const snapshot_entry *b)
{
    if (a->kind != b->kind || strcmp(a->target, b->target) != 0)
        return FALSE;
    if (a->kind == SNAPSHOT_LINK)
        return TRUE;
    return a->mode == b->mode && (a->kind != SNAPSHOT_FILE ||
                                  (a->size == b->size && object_id_equal(&a->object, &b->object)));
}

GArray *snapshot_compare(const snapshot_manifest *before, const snapshot_manifest *after,
                         enum snapshot_part part)
{
    const GArray *old = before->entries[part], *new = after->entries[part];
    GArray *changes = g_array_new(FALSE, FALSE, sizeof(snapshot_change));
    for (guint i = 0, k = 0; i < old->len || k < new->len;) {
        const snapshot_entry *a = i < old->len ? &g_array_index(old, snapshot_entry, i) : NULL;
        const snapshot_entry *b = k < new->len ? &g_array_index(new, snapshot_entry, k) : NULL;
        int order = !a ? 1 : !b ? -1 : strcmp(a->path, b->path);
        snapshot_change change = {order <= 0 ? a : NULL, order >= 0 ? b : NULL};
        i += order <= 0;
        k += order >= 0;
        if (order != 0 || !is_equal(a, b))
            g_array_append_val(changes, change);
    }
    return changes;
}
