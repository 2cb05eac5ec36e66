#include <unistd.h>

#include "box/snapshot/retention.h"
#include "box/snapshot/snapshot.h"
#include "console/log.h"

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
