/* Finds the project and the box that a command line means. */
#pragma once

#include <glib.h>

#include "box/registry/registry.h"
#include "cli/commands/command.h"

/*
 * The folder that ARGUMENT means: the name of a registered box; a path; or NULL for the current
 * folder or its nearest parent that is a project (the nearest registered one, else one with a
 * litterbox.toml or .git). Real path. The user's home, what is above it and system folders are
 * never projects (box/registry/project_rules.h).
 */
char *project_folder(const char *argument, GError **error);

/*
 * The same of a path or NULL, for 'box init': a litterbox.toml or .git below a registered project
 * counts, as the user asks for a box of its own.
 */
char *project_to_register(const char *argument, GError **error);

/* The current folder or its nearest parent that is a project; NULL when none is. */
char *project_nearest(void);

/*
 * The nearest project at or above FOLDER. When there is none: the current folder if FOLDER lies
 * below it, else FOLDER itself.
 */
char *project_above(const char *folder, GError **error);

typedef enum {
    PROJECT_EXISTING, /* an error when it has no box yet */
    PROJECT_PEEK,     /* an unregistered box is returned for one without */
    /* A box is registered for it when it has none, and when it may be a project */
    PROJECT_REGISTER,
    PROJECT_INIT,
    PROJECT_INIT_ANYWAY,
} project_need;

/* Whether PROJECT, a real path without a box, may become a project by NEED. Sets *WANTED, a new
 * string, to the name that an approved configuration chooses, or NULL. FALSE with ERROR. */
gboolean project_may_become(const char *project, project_need need, char **wanted, GError **error);

/*
 * The box that ARGUMENT means: as project_folder() has it. A project that was moved is
 * recognised: on a terminal the user is asked, else the error says what to do.
 */
struct box *project_box(const char *argument, project_need need, GError **error);
/* The same, where ARGUMENT may also be BOX.NAME, a branch. */
struct box *project_box_or_branch(const char *argument, project_need need, GError **error);
/* For a list: the name of the box that ARGUMENT means, as in project_box(); NULL: of each box. A
 * new list; NULL with ERROR. */
char **project_box_names(const char *argument, GError **error);

/* Whether a folder without a box may become a project: what runs in its box sees all of it. */

typedef enum {
    NEW_PROJECT_ASK,    /* a command that works in a box: a folder without a mark is asked about */
    NEW_PROJECT_NAMED,  /* the user asks for it, by `box init` or `box clone` */
    NEW_PROJECT_ANYWAY, /* and knows what is special about it */
} new_project_consent;

/*
 * FALSE with ERROR unless FOLDER, a real path, may become a project by CONSENT, by the rules of
 * box/registry/project_rules.h. By one slip a box would see everything in it, and everything below
 * would count as that project from then on.
 */
gboolean new_project_allow(const char *folder, new_project_consent consent, GError **error);

/* The options --branch and --isolated of run, enter, edit and agent run. */

extern const char *branch_option_name; /* NULL: not given */
extern gboolean branch_option_isolated;

/* Rows for the tables of these commands; VERBS as in option.summary. */
#define BRANCH_OPTIONS(VERBS)                                                               \
    {"branch",    'b',                                                                      \
     OPTION_TEXT, &branch_option_name,                                                      \
     "NAME",      VERBS "work on a copy of the project, which is made if it is not there"}, \
    {                                                                                       \
        "isolated", 0, OPTION_FLAG, &branch_option_isolated, NULL,                          \
            VERBS "with --branch: on a copy of the home, too"                               \
    }

/* OF, which it takes, or the branch of it that was asked for. NULL with ERROR, also for OF NULL. */
struct box *branch_option_apply(struct box *of, GError **error);

/* projects.c: commands that take several PROJECTs or --all: which boxes these are, and one action
 * on each. */

/* --all: every registered box. */
extern gboolean projects_all;
#define PROJECTS_ALL_OPTION                                       \
    {                                                             \
        "all", 'a', OPTION_FLAG, &projects_all, NULL, "every box" \
    }

/* What a command does with one box. FALSE with ERROR. */
typedef gboolean (*project_action)(struct box *self, const struct command_call *call,
                                   GError **error);

enum projects_flags {
    PROJECTS_SKIP_MISSING = 1 << 0, /* a PROJECT without a box is no error */
    PROJECTS_BRANCHES = 1 << 1,     /* a PROJECT may be BOX.NAME, a branch */
};

/*
 * Calls ACT for each of them. What happens to one does not stop the others, but for a no and
 * Ctrl-C. Returns the exit status, that of the first failure: with one box -1 and its ERROR; with
 * several the errors are printed when they happen.
 */
int projects_each(const struct command_call *call, project_need need, unsigned flags,
                  project_action act, GError **error);
