/* Commands that take several PROJECTs or --all: which boxes these are, and one action on each. */
#pragma once

#include "cli/commands/command.h"
#include "cli/commands/project.h"

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
 * The boxes that the operands of CALL name, each once; all with --all; without either that of the
 * current project, with NEED. A list of struct box, free with g_ptr_array_unref(). NULL with ERROR
 * when one of them cannot be found, so that a misspelt name does not leave a command half done.
 */
GPtrArray *projects_find(const struct command_call *call, project_need need, unsigned flags,
                         GError **error);

/*
 * Calls ACT for each of them. What happens to one does not stop the others, but for a no and
 * Ctrl-C. Returns the exit status, that of the first failure: with one box -1 and its ERROR; with
 * several the errors are printed when they happen.
 */
int projects_each(const struct command_call *call, project_need need, unsigned flags,
                  project_action act, GError **error);
