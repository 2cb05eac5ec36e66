#include "mcp/own_branches.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/registry/branch_names.h"

static void close_lock(gpointer data)
{
    close(*(int *)data);
}

GArray *own_branches_new(void)
{
    GArray *self = g_array_new(FALSE, FALSE, sizeof(int));
    g_array_set_clear_func(self, close_lock);
    return self;
}

/* Closes the locks of those that are gone. */
static void sweep(const struct tool_host *host)
{
    for (guint i = 0; i < host->branches->len; i++) {
        struct stat st;
        if (fstat(g_array_index(host->branches, int, i), &st) < 0 || st.st_nlink == 0)
            g_array_remove_index_fast(host->branches, i--);
    }
}

static gboolean is_held(const struct tool_host *host, const struct box *branch)
{
    for (guint i = 0; i < host->branches->len; i++)
        if (branch_owner_holds(branch, g_array_index(host->branches, int, i)))
            return TRUE;
    return FALSE;
}

/* BRANCH is this server's from now on. FALSE with ERROR. */
static gboolean hold(const struct tool_host *host, const struct box *branch, GError **error)
{
    sweep(host);
    if (is_held(host, branch))
        return TRUE;
    int lock = branch_owner_hold(branch);
    if (lock >= 0)
        g_array_append_val(host->branches, lock);
    else if (errno == ENOENT)
        g_set_error(error, BOX_ERROR, BOX_ERROR_STATE,
                    "branch '%s' was not made by this tool, so it is the user's: make one with the "
                    "tool 'branch', action 'new'",
                    branch->branch);
    else
        g_set_error(error, BOX_ERROR, BOX_ERROR_STATE,
                    "another agent works in branch '%s': make one of your own with the tool "
                    "'branch', action 'new'",
                    branch->branch);
    return lock >= 0;
}

static gboolean check_count(const struct tool_host *host, GError **error)
{
    guint count = 0;
    g_auto(GStrv) names = branch_names(host->box->name);
    for (char **name = names; *name; name++) {
        g_autoptr(box) each = branch_find(host->box, *name, NULL);
        count += each && branch_owner_of(each) != BRANCH_OF_USER;
    }
    if (count >= OWN_BRANCHES_MAX)
        g_set_error(error, BOX_ERROR, BOX_ERROR_STATE,
                    "%d branches were made already: 'drop' one that is not needed any more",
                    OWN_BRANCHES_MAX);
    return count < OWN_BRANCHES_MAX;
}

struct box *own_branch_make(struct tool_host *host, const char *name, GError **error)
{
    g_autoptr(box) made =
        check_count(host, error) ? branch_make_for_mcp(host->box, name, error) : NULL;
    if (g_error_matches(*error, BOX_ERROR, BOX_ERROR_CONFLICT))
        g_prefix_error_literal(error, "choose another name: ");
    return made && hold(host, made, error) ? g_steal_pointer(&made) : NULL;
}

struct box *own_branch_find(const struct tool_host *host, const char *name, GError **error)
{
    g_autoptr(box) found = branch_find(host->box, name, error);
    return found && hold(host, found, error) ? g_steal_pointer(&found) : NULL;
}

gboolean own_branch_may_drop(const struct box *self, GError **error)
{
    gboolean is_alone = branch_owner_of(self) == BRANCH_OF_MCP;
    if (!is_alone)
        g_set_error(error, BOX_ERROR, BOX_ERROR_STATE,
                    "the user has worked in branch '%s': only the user drops it", self->branch);
    return is_alone;
}
