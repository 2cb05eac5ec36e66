#include "cli/commands/project.h"

#include <string.h>

#include "console/log.h"

gboolean projects_all;

static void free_box(gpointer self)
{
    box_free(self);
}

static gboolean has_box(const GPtrArray *boxes, const struct box *wanted)
{
    for (guint i = 0; i < boxes->len; i++)
        if (strcmp(((struct box *)boxes->pdata[i])->name, wanted->name) == 0)
            return TRUE;
    return FALSE;
}

/* Adds the box FOUND (taken over). It is NULL with PROBLEM (taken over) when there is none. */
static gboolean add_box(GPtrArray *boxes, struct box *found, GError *problem, gboolean skip,
                        GError **error)
{
    if (found && !has_box(boxes, found))
        g_ptr_array_add(boxes, found);
    else if (found)
        box_free(found);
    else if (skip && g_error_matches(problem, BOX_ERROR, BOX_ERROR_NOT_FOUND))
        g_error_free(problem);
    else
        return g_propagate_error(error, problem), FALSE;
    return TRUE;
}

static gboolean find_all(GPtrArray *boxes, GError **error)
{
    g_auto(GStrv) names = registry_names();
    for (char **name = names; *name; name++) {
        GError *problem = NULL;
        struct box *found = registry_by_name(*name, &problem);
        /* One that is gone was removed meanwhile. */
        if (!add_box(boxes, found, problem, TRUE, error))
            return FALSE;
    }
    if (!boxes->len)
        log_note("no boxes yet; 'box enter' in a project creates one");
    return TRUE;
}

static gboolean find_operands(GPtrArray *boxes, char *const *operands, project_need need,
                              unsigned flags, GError **error)
{
    do {
        GError *problem = NULL;
        struct box *found = flags & PROJECTS_BRANCHES
                                ? project_box_or_branch(*operands, need, &problem)
                                : project_box(*operands, need, &problem);
        if (!add_box(boxes, found, problem, (flags & PROJECTS_SKIP_MISSING) != 0, error))
            return FALSE;
    } while (*operands && *++operands);
    return TRUE;
}

/*
 * The boxes that the operands of CALL name, each once; all with --all; without either that of the
 * current project, with NEED. A list of struct box, free with g_ptr_array_unref(). NULL with ERROR
 * when one of them cannot be found, so that a misspelt name does not leave a command half done.
 */
static GPtrArray *projects_find(const struct command_call *call, project_need need, unsigned flags,
                                GError **error)
{
    g_autoptr(GPtrArray) boxes = g_ptr_array_new_with_free_func(free_box);
    if (projects_all && *call->operands) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_USAGE,
                            "--all and a PROJECT exclude each other");
        return NULL;
    }
    gboolean done = projects_all ? find_all(boxes, error)
                                 : find_operands(boxes, call->operands, need, flags, error);
    return done ? g_steal_pointer(&boxes) : NULL;
}

int projects_each(const struct command_call *call, project_need need, unsigned flags,
                  project_action act, GError **error)
{
    g_autoptr(GPtrArray) boxes = projects_find(call, need, flags, error);
    if (!boxes)
        return -1;
    if (boxes->len == 1)
        return act(boxes->pdata[0], call, error) ? 0 : -1;
    int status = 0;
    gboolean cancelled = FALSE;
    for (guint i = 0; i < boxes->len && !cancelled; i++) {
        struct box *self = boxes->pdata[i];
        g_autoptr(GError) problem = NULL;
        if (act(self, call, &problem))
            continue;
        log_error("'%s': %s", self->name, problem->message);
        cancelled = g_error_matches(problem, BOX_ERROR, BOX_ERROR_CANCELLED);
        status = status ? status : box_error_exit_status(problem);
    }
    return status;
}
