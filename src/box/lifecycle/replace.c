#include "box/lifecycle/replace.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "box/lifecycle/container.h"
#include "box/registry/box.h"
#include "common/fs.h"
#include "sys/debug.h"

/* Seconds. Longer than Podman takes to copy an image, even a large one on a slow disk. */
#define STILL_COMES (15 * 60)

#define NEXT ".NEXT"
#define OLD ".OLD"

char *replace_next_name(const struct box *self)
{
    return g_strconcat(self->container, NEXT, NULL);
}

static char *old_name(const struct box *self)
{
    return g_strconcat(self->container, OLD, NULL);
}

gboolean replace_is_of(const struct box *self, const char *container)
{
    g_autofree char *next = replace_next_name(self), *old = old_name(self);
    const char *const names[] = {self->container, next, old};
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
        if (container_name_is(container, names[i]))
            return TRUE;
    return FALSE;
}

/* In the data folder: a reboot leaves it, unlike the runtime folder. */
static char *journal_path(const struct box *self)
{
    return g_build_filename(self->data, "replacing", NULL);
}

gboolean replace_is_open(const struct box *self)
{
    g_autofree char *journal = journal_path(self);
    return access(journal, F_OK) == 0;
}

/* Podman says the year 1 of a container that never was. */
static gboolean was_started(const box_container *self)
{
    return self->started && !g_str_has_prefix(self->started, "0001-");
}

static void close_journal(const struct box *self)
{
    g_autofree char *journal = journal_path(self);
    unlink(journal);
}

/* When `box` is killed, Podman may still be creating the new container, and copy an image for it.
 */
static gboolean may_still_come(const struct box *self)
{
    struct stat st;
    g_autofree char *journal = journal_path(self);
    return stat(journal, &st) == 0 && time(NULL) - st.st_mtime < STILL_COMES;
}

/* The container NAME of SELF. NULL with ERROR, also when it is another program's. */
static box_container *inspect(const struct box *self, podman_client *server, char *name,
                              GError **error)
{
    struct box at = *self;
    at.container = name;
    return box_container_inspect(&at, server, error);
}

static gboolean remove_if_there(const struct box *self, podman_client *server, char *name,
                                GError **error)
{
    g_autoptr(box_container) found = inspect(self, server, name, error);
    return found && (found->state == BOX_MISSING || podman_container_remove(server, name, error));
}

char *replace_begin(const struct box *self, podman_client *server, GError **error)
{
    g_autofree char *journal = journal_path(self), *next = replace_next_name(self);
    if (!fs_write(journal, "", 0, 0600, error) || !remove_if_there(self, server, next, error))
        return NULL;
    return g_steal_pointer(&next);
}

gboolean replace_swap(const struct box *self, podman_client *server, GError **error)
{
    g_autofree char *next = replace_next_name(self), *old = old_name(self);
    g_autoptr(box_container) now = inspect(self, server, self->container, error);
    if (!now || (now->state != BOX_MISSING &&
                 !podman_container_rename(server, self->container, old, error)))
        return FALSE;
    if (podman_container_rename(server, next, self->container, error))
        return TRUE;
    if (now->state != BOX_MISSING)
        podman_container_rename(server, old, self->container, NULL);
    return FALSE;
}

gboolean replace_remove_others(const struct box *self, podman_client *server, GError **error)
{
    g_autofree char *next = replace_next_name(self), *old = old_name(self);
    return remove_if_there(self, server, next, error) && remove_if_there(self, server, old, error);
}

gboolean replace_finish(const struct box *self, podman_client *server, GError **error)
{
    if (!replace_is_open(self))
        return TRUE;
    if (!replace_remove_others(self, server, error))
        return FALSE;
    close_journal(self);
    return TRUE;
}

static gboolean bring_old_back(const struct box *self, podman_client *server, GError **error)
{
    g_autofree char *next = replace_next_name(self), *old = old_name(self);
    g_autoptr(box_container) kept = inspect(self, server, old, error);
    if (!kept || !remove_if_there(self, server, next, error))
        return FALSE;
    return kept->state == BOX_MISSING ||
           (remove_if_there(self, server, self->container, error) &&
            podman_container_rename(server, old, self->container, error));
}

gboolean replace_undo(const struct box *self, podman_client *server, GError **error)
{
    if (!bring_old_back(self, server, error))
        return FALSE;
    close_journal(self);
    return TRUE;
}

gboolean replace_repair(const struct box *self, podman_client *server, GError **error)
{
    if (!replace_is_open(self))
        return TRUE;
    g_autoptr(box_container) now = inspect(self, server, self->container, error);
    if (!now)
        return FALSE;
    /* The box's name is still the old one's, or it is the new one's and that may hold new work. */
    gboolean stays = was_started(now);
    debug_log(DEBUG_BOX, "box '%s': a killed command was replacing its container, which %s",
              self->name, stays ? "stays" : "was never started");
    if (!(stays ? replace_remove_others(self, server, error) : bring_old_back(self, server, error)))
        return FALSE;
    if (!may_still_come(self))
        close_journal(self);
    return TRUE;
}
