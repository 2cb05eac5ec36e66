#include "box/lifecycle/removal.h"

#include <stdio.h>

#include "box/menu/menu_entries.h"
#include "console/log.h"

static void removal_free(gpointer data)
{
    removal *self = data;
    g_free(self->name);
    g_free(self->image);
    g_free(self->detail);
    g_free(self->what);
    g_free(self);
}

GPtrArray *removals_new(void)
{
    return g_ptr_array_new_with_free_func(removal_free);
}

removal *removals_add(GPtrArray *list, removal_func remove, const char *name, char *what)
{
    removal *self = g_new0(removal, 1);
    *self = (removal){.remove = remove, .name = g_strdup(name), .what = what};
    g_ptr_array_add(list, self);
    return self;
}

static gboolean remove_menu_entry(const removal *item, podman_client *server, gboolean *removed,
                                  GError **error)
{
    *removed = menu_entry_remove(item->name, item->detail, error);
    if (*removed)
        menu_entries_notify();
    return *removed;
}

void removals_add_menu_entry(GPtrArray *list, const char *box, const char *id, char *what)
{
    removals_add(list, remove_menu_entry, box, what)->detail = g_strdup(id);
}

gboolean removal_do(const removal *self, podman_client *server, gboolean dry, GError **error)
{
    gboolean removed = TRUE;
    if (!dry) {
        log_step("removing: %s", self->what);
        gboolean done = self->remove(self, server, &removed, error);
        log_step_done();
        if (!done)
            return FALSE;
    }
    if (removed)
        printf("%s: %s\n", dry ? "would remove" : "removed", self->what);
    /* What is done is said also when the next step is killed. */
    fflush(stdout);
    return TRUE;
}
