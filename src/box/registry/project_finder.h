/*
 * In whose project a folder lies: by its path, and by what the folder is, as a project may have
 * been moved, or be mounted at a second place. Decides whether git may run outside of boxes, so it
 * reads the files of all boxes and not their index, which may lack one.
 */
#pragma once

#include "box/registry/registry.h"

typedef struct project_finder project_finder;

/* NULL with ERROR when what is registered cannot be read. */
project_finder *project_finder_new(GError **error);
void project_finder_free(project_finder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(project_finder, project_finder_free)

/* The projects of all boxes, for safe_path(). Belongs to SELF. */
char **project_finder_projects(const project_finder *self);

/*
 * The box in whose project PATH, a real path, lies; of several the innermost. NULL without ERROR
 * when in none. BOX_ERROR_CONFLICT when it lies in the folder of a box that knows its project by
 * another path, or in the home of a box. Any error means that a box may write PATH.
 */
struct box *project_finder_look(const project_finder *self, const char *path, GError **error);
