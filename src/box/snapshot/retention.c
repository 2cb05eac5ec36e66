#include "box/snapshot/retention.h"

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
