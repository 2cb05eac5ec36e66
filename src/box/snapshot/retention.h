/* Which snapshots go: of those that nobody has asked for, the ones that are too many or too old. */
#pragma once

#include "box/snapshot/manifest.h"

typedef struct {
    guint number;
    gint64 time; /* seconds since 1970 */
    enum snapshot_reason reason;
} snapshot_age;

/* Of ROWS, by ascending numbers: the numbers (of guint) that go at NOW, when KEEP may stay, each
 * for KEEP_FOR seconds. The newest stays. */
GArray *retention_choose(const snapshot_age *rows, guint count, gint64 now, gint64 keep,
                         gint64 keep_for);
