/*
 * What boxes have changed in their projects that a tool of the host would execute or obey
 * (project_scan.h): found at the end of sessions, and kept in the box's data folder until the user
 * has reviewed it.
 *
 * A run of the box is looked at as a whole, from its start or from the last scan on, as a process
 * that a session leaves behind can write after its end.
 */
#pragma once

#include "box/inspect/project_scan.h"
#include "box/registry/registry.h"

typedef struct {
    gint64 since;     /* microseconds since 1970: later changes are not known yet; 0: all are */
    GPtrArray *paths; /* relative to the project, any bytes; sorted */
    guint more;       /* others that were not kept */
    gint64 looked;    /* when the last scan began */
    guint unread;     /* folders that the last scan could not read; SINCE stays until it can */
} project_changes;

void project_changes_free(project_changes *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(project_changes, project_changes_free)

/* SELF is about to run: what changes from now on is to be looked at. */
void project_changes_begin(const struct box *self);

/*
 * Scans SELF's project as far as that is due, with a step in the log, and keeps what it finds.
 * RUNS: SELF goes on running. Returns all that is known and still exists; with REPORT, what is new
 * has been listed on standard error.
 */
project_changes *project_changes_update(const struct box *self, const settings *wanted,
                                        gboolean runs, gboolean report);

/* The user has been shown CHANGES, as they have just been updated. */
void project_changes_shown(const struct box *self, const project_changes *changes);
/* The user has reviewed what was shown last: it is forgotten, but what has come or changed since.
 * FALSE with ERROR. */
gboolean project_changes_forget(const struct box *self, GError **error);
