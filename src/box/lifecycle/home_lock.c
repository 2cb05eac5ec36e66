#include "box/lifecycle/home_lock.h"

#include <unistd.h>

#include "box/lifecycle/container.h"
#include "box/registry/branch.h"
#include "box/registry/branch_names.h"
#include "common/fs.h"
#include "console/log.h"

static char *home_lock_path(const char *of)
{
    g_autofree char *data = box_data_path(of);
    return g_build_filename(data, BOX_HOME_LOCK, NULL);
}

static void say_home_waited(const char *path)
{
    (void)path;
    log_note("waiting for another 'box' command, which needs the home of this box …");
}

static void held_branch_free(gpointer data)
{
    held_branch *held = data;
    box_free(held->self);
    close(held->lock);
    g_free(held);
}

void held_home_clear(held_home *self)
{
    g_clear_pointer(&self->branches, g_ptr_array_unref);
    if (self->lock >= 0)
        close(self->lock);
    self->lock = -1;
}

/* One that was dropped meanwhile is none. */
static gboolean hold_branch(held_home *self, const struct box *of, const char *name, GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(box) branch = branch_find(of, name, &problem);
    int lock = branch ? box_lock_registered(branch, &problem) : -1;
    if (lock >= 0) {
        held_branch *one = g_new(held_branch, 1);
        *one = (held_branch){g_steal_pointer(&branch), lock};
        g_ptr_array_add(self->branches, one);
        return TRUE;
    }
    if (g_error_matches(problem, BOX_ERROR, BOX_ERROR_NOT_FOUND))
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&problem));
    return FALSE;
}

gboolean home_hold(held_home *self, const struct box *of, GError **error)
{
    g_autofree char *path = home_lock_path(of->name);
    *self = HELD_HOME_NONE;
    self->lock = fs_lock(path, say_home_waited, error);
    if (self->lock < 0)
        return FALSE;
    self->branches = g_ptr_array_new_with_free_func(held_branch_free);
    g_auto(GStrv) names = branch_names(of->name);
    for (char **name = names; *name; name++)
        if (!hold_branch(self, of, *name, error)) {
            held_home_clear(self);
            return FALSE;
        }
    return TRUE;
}

/* FALSE with ERROR; where SELF is gone, that says so and not its lock. */
static gboolean await_home(const struct box *self, const char *path, GError **error)
{
    g_autoptr(GError) problem = NULL;
    int home = fs_lock(path, say_home_waited, &problem);
    int lock = home < 0 ? box_lock_registered(self, error) : -1;
    if (home >= 0) {
        close(home);
        return TRUE;
    }
    if (lock >= 0) {
        close(lock);
        g_propagate_error(error, g_steal_pointer(&problem));
    }
    return FALSE;
}

int home_lock_branch(const struct box *self, GError **error)
{
    g_autofree char *path = home_lock_path(self->base);
    for (;;) {
        int lock = box_lock_registered(self, error);
        int home = lock >= 0 ? fs_try_lock(path) : -1;
        if (home >= 0)
            close(home);
        if (lock < 0 || home >= 0)
            return lock;
        close(lock);
        if (!await_home(self, path, error))
            return -1;
    }
}
