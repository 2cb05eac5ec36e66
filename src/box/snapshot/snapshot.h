/*
 * Snapshots of a box: of its home, and of its project's files. Whatever kills it, a snapshot is
 * there as a whole or not at all.
 *
 * Of the project are left out: .git in every folder, as git keeps that itself, and a repository
 * that goes back loses commits; and [project] hidden, which a box can neither see nor change.
 */
#pragma once

#include "box/snapshot/manifest.h"
#include "box/snapshot/snapshot_files.h"
#include "config/settings.h"
#include "podman/podman.h"

typedef struct {
    gboolean parts[SNAPSHOT_PARTS];
    enum snapshot_reason reason;
    const char *note;       /* or NULL */
    const settings *wanted; /* of the box */
    podman_client *server;  /* for SNAPSHOT_SYSTEM; else NULL */
} snapshot_options;

/* FALSE with ERROR, and nothing is left; BOX_ERROR_CANCELLED after Ctrl-C. With SNAPSHOT_AUTO
 * *NUMBER is 0, and none is made, where nothing has changed. */
gboolean snapshot_create(const struct box *self, const snapshot_options *how, guint *number,
                         GError **error);
/*
 * Before something that may do harm: makes one in PARTS, where something has changed since the last
 * one and [snapshot] keep is not 0, and drops those made in this way that are too many or too old.
 * *NUMBER is 0 where none was made. What fails is a warning: FALSE with ERROR only after Ctrl-C.
 */
gboolean snapshot_auto(const struct box *self, const settings *wanted, gboolean home,
                       gboolean project, guint *number, GError **error);
/* What a snapshot would hold now, in the parts of HOW; makes none. NULL with ERROR. */
snapshot_manifest *snapshot_now(const struct box *self, const snapshot_options *how,
                                GError **error);
/* Removes the snapshots NUMBERS, of guint, and what no other one needs. *FREED: bytes on the disk.
 */
gboolean snapshot_drop(const struct box *self, const GArray *numbers, guint64 *freed,
                       GError **error);
/* Removes contents that no snapshot needs any more, as after the removal of a box. *FREED: bytes on
 * the disk. */
gboolean snapshot_collect(guint64 *freed, GError **error);
/* Adds that to ITEMS (removal.h), if there are some. */
gboolean snapshot_plan_contents(GPtrArray *items, GError **error);
/* Removes the store of contents, as when Litterbox is uninstalled. FALSE with ERROR, and all that
 * is needed stays, when there is a snapshot that needs some. */
gboolean snapshot_remove_store(GError **error);

/* Which snapshots go: of those that nobody has asked for, the ones that are too many or too old. */

typedef struct {
    guint number;
    gint64 time; /* seconds since 1970 */
    enum snapshot_reason reason;
} snapshot_age;

/* Of ROWS, by ascending numbers: the numbers (of guint) that go at NOW, when KEEP may stay, each
 * for KEEP_FOR seconds. The newest stays. */
GArray *retention_choose(const snapshot_age *rows, guint count, gint64 now, gint64 keep,
                         gint64 keep_for);
