/*
 * Goes back to a snapshot. What is there before becomes a snapshot of its own first, so that going
 * back can be undone by going back to that.
 */
#pragma once

#include "box/snapshot/manifest.h"
#include "box/snapshot/object_store.h"
#include "box/snapshot/snapshot.h"

/* The user's yes. FALSE with ERROR. */
typedef gboolean (*restore_confirm)(const char *question, GError **error);

/*
 * The home of SELF becomes that of snapshot NUMBER: all of it or nothing. It is built aside, and
 * changes places with the home in one step. SELF is stopped. *BEFORE is the number of what was
 * there. FALSE with ERROR.
 */
gboolean restore_home(const struct box *self, guint number, const settings *wanted,
                      podman_client *server, restore_confirm confirm, guint *before,
                      GError **error);

/* What is installed in SELF outside of its home becomes that of snapshot NUMBER, which has an image
 * for it. SELF is stopped, and its container recreated. Otherwise as restore_home(). */
gboolean restore_system(struct box *self, guint number, const settings *wanted,
                        podman_client *server, guint *before, GError **error);

typedef struct {
    char *const *paths;   /* relative to the project; empty: all */
    char *const *allowed; /* protected names that may be restored; or NULL */
    restore_confirm confirm;
} restore_options;

/*
 * The project's files become those of snapshot NUMBER, by the steps of 'box branch take'
 * (box/branch/take.h): all that was shown or nothing, repaired after a kill. Protected names and
 * links that lead out stay as they are, unless they are allowed: a box may have written the
 * snapshot's. *BEFORE is 0 when there was nothing to restore.
 */
gboolean restore_project(const struct box *self, guint number, const settings *wanted,
                         const restore_options *how, guint *before, GError **error);

/* Both build what they restore in UNFINISHED_RESTORE (box/registry/box.h), with the lock of
 * the store. Removes what a killed one has left. Call it before anything looks for boxes; costs one
 * access(2). What fails is a warning, and is tried again by the next command. */
void restore_repair(void);

/* restore_tree.c: makes the files of a snapshot in an empty folder, which no box can reach. */

/* Makes the entries of PART in FOLDER, a descriptor; WANTS (may be NULL) says which, and folders
 * that lead to them are made. FALSE with ERROR, after Ctrl-C too; what is there then is of no use.
 */
gboolean restore_tree(int folder, const snapshot_manifest *from, enum snapshot_part part,
                      object_store *store,
                      gboolean (*wants)(void *data, const snapshot_entry *entry), void *data,
                      GError **error);
