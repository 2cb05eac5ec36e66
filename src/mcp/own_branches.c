#include "mcp/own_branches.h"

#include <string.h>

struct own_branch {
    char *name;
    struct timespec began;
};

static void own_branch_free(gpointer data)
{
    struct own_branch *self = data;
    g_free(self->name);
    g_free(self);
}

GPtrArray *own_branches_new(void)
{
    return g_ptr_array_new_with_free_func(own_branch_free);
}

/* The branch of SELF as long as it is the one that was made; else NULL. */
static struct box *find_same(const struct tool_host *host, const struct own_branch *self)
{
    struct timespec began;
    g_autoptr(box) found = branch_find(host->box, self->name, NULL);
    gboolean is_same = found && branch_began(found, &began, NULL) &&
                       began.tv_sec == self->began.tv_sec && began.tv_nsec == self->began.tv_nsec;
    return is_same ? g_steal_pointer(&found) : NULL;
}

/* Forgets those that are gone. */
static void sweep(const struct tool_host *host)
{
    for (guint i = 0; i < host->branches->len; i++) {
        g_autoptr(box) found = find_same(host, host->branches->pdata[i]);
        if (!found)
            g_ptr_array_remove_index(host->branches, i--);
    }
}

struct box *own_branch_make(struct tool_host *host, const char *name, GError **error)
{
    gboolean is_new = FALSE;
    sweep(host);
    if (host->branches->len >= OWN_BRANCHES_MAX) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_STATE,
                    "%d branches were made already: 'drop' one that is not needed any more",
                    OWN_BRANCHES_MAX);
        return NULL;
    }
    g_autoptr(box) made = branch_open(host->box, name, FALSE, &is_new, error);
    if (made && !is_new)
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                    "there is a branch '%s' already: choose another name", name);
    struct own_branch self;
    if (!made || !is_new || !branch_began(made, &self.began, error))
        return NULL;
    self.name = g_strdup(name);
    g_ptr_array_add(host->branches, g_memdup2(&self, sizeof self));
    return g_steal_pointer(&made);
}

static const struct own_branch *find_named(const struct tool_host *host, const char *name)
{
    for (guint i = 0; i < host->branches->len; i++) {
        const struct own_branch *self = host->branches->pdata[i];
        if (strcmp(self->name, name) == 0)
            return self;
    }
    return NULL;
}

struct box *own_branch_find(const struct tool_host *host, const char *name, GError **error)
{
    const struct own_branch *self = find_named(host, name);
    struct box *own = self ? find_same(host, self) : NULL;
    g_autoptr(box) other = own ? NULL : branch_find(host->box, name, error);
    if (other)
        g_set_error(error, BOX_ERROR, BOX_ERROR_STATE,
                    "branch '%s' was not made by this server, so it is the user's: make one with "
                    "the tool 'branch', action 'new'",
                    other->branch);
    return own;
}

gboolean own_branch_is_there(const struct tool_host *host, const char *name)
{
    const struct own_branch *self = find_named(host, name);
    g_autoptr(box) found = self ? find_same(host, self) : NULL;
    return found != NULL;
}
