/* What commands print. */
#pragma once

#include <jansson.h>

#include "box/branch/branch_view.h"
#include "box/registry/registry.h"
#include "box/snapshot/snapshot.h"
#include "doctor/doctor.h"

/* branch_show.c: what 'box branch' prints. */

/* The branches of the boxes NAMES. */
void branch_show_list(char *const *names, gboolean as_json);
void branch_show_changes(const branch_changes *changes, gboolean as_json, gboolean name_only);
/* How files differ; STAT: only how many lines. THEN: from what the host had when the branch began.
 * Of the paths HIDDEN the host's contents are not shown, as a box may be shown this (box-mcp(1)).
 * FALSE with ERROR. */
gboolean branch_show_files(const struct box *self, const branch_changes *changes,
                           char *const *hidden, gboolean stat, gboolean then, GError **error);
/* The same in the user's difftool NAME; NULL: as git-difftool(1) finds it. */
gboolean branch_show_tool(const struct box *self, const branch_changes *changes, const char *name,
                          gboolean then, GError **error);
/* How files differ of one change: its open files, or -1. */
gboolean branch_show_staged(int before, int after, const char *path, GError **error);

/* port_show.c: what `box port list` and `box status` print of ports. */

/* All that is known of the ports of one box. */
typedef struct {
    gboolean running, shares_host;
    const char *argument; /* as the user named the box on the command line; or NULL */
    GPtrArray *forwards;  /* of port_forward */
    GPtrArray *listeners; /* of listener */
    json_t *inspect;      /* what Podman says of the running container; or NULL; borrowed */
} port_view;

/* The documented JSON of it. */
json_t *port_show_json(const port_view *self);
void port_show_text(const port_view *self);

/* "forwards" alone, as an array of the same objects. */
json_t *port_show_forwards_json(const GPtrArray *forwards);

/* snapshot_show.c: what 'box snapshot' prints. */

/* The snapshots of the boxes NAMES. */
void snapshot_show_list(char *const *names, gboolean as_json);
/* One of them, with NAMES also what is in it. FALSE with ERROR. */
gboolean snapshot_show_one(const struct box *self, guint number, gboolean names, gboolean as_json,
                           GError **error);
/* What has changed since snapshot NUMBER, in the parts of HOW. FALSE with ERROR. */
gboolean snapshot_show_diff(const struct box *self, guint number, const snapshot_options *how,
                            gboolean as_json, GError **error);

/* doctor.c: what `box doctor` and `box agent doctor` print of their findings. */

/* A list of {"id", "level", "what", "fix"}. */
json_t *doctor_show_json(const GPtrArray *report);
/* A line, and one with the fix. */
void doctor_show_finding(const doctor_finding *finding);
