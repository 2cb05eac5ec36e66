/* Finds the project and the box that a command line means. */
#pragma once

#include "box/registry/registry.h"

/*
 * The folder that ARGUMENT means: a path, or NULL for the current folder or its nearest parent that
 * is a project (the nearest registered one, else one with a litterbox.toml or .git). Real path. The
 * user's home, what is above it and system folders are never projects
 * (box/registry/project_rules.h).
 */
char *project_find(const char *argument, GError **error);

/*
 * As project_find, for 'box init': a litterbox.toml or .git below a registered project counts, as
 * the user asks for a box of its own.
 */
char *project_to_register(const char *argument, GError **error);

/* The current folder or its nearest parent that is a project; NULL when none is. */
char *project_nearest(void);

/*
 * The nearest project at or above FOLDER. When there is none: the current folder if FOLDER lies
 * below it, else FOLDER itself.
 */
char *project_above(const char *folder, GError **error);

/* As project_find, but ARGUMENT may also be the name of a registered box: its project's folder. */
char *project_folder(const char *argument, GError **error);

typedef enum {
    PROJECT_EXISTING, /* an error when it has no box yet */
    PROJECT_PEEK,     /* an unregistered box is returned for one without */
    /* A box is registered for it when it has none, and when it may be a project (project_new.h) */
    PROJECT_REGISTER,
    PROJECT_INIT,
    PROJECT_INIT_ANYWAY,
} project_need;

/* Whether PROJECT, a real path without a box, may become a project by NEED. Sets *WANTED, a new
 * string, to the name that an approved configuration chooses, or NULL. FALSE with ERROR. */
gboolean project_may_become(const char *project, project_need need, char **wanted, GError **error);

/*
 * The box that ARGUMENT means: a box's name, else as project_find. A project that was moved is
 * recognised: on a terminal the user is asked, else the error says what to do.
 */
struct box *project_box(const char *argument, project_need need, GError **error);
/* The same, where ARGUMENT may also be BOX.NAME, a branch. */
struct box *project_box_or_branch(const char *argument, project_need need, GError **error);
/* For a list: the name of the box that ARGUMENT means, as in project_box(); NULL: of each box. A
 * new list; NULL with ERROR. */
char **project_box_names(const char *argument, GError **error);
