#include "box/prune.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/registry/discard.h"
#include "box/ephemeral.h"
#include "box/overview.h"
#include "box/say.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "podman/containers.h"

static void item_free(gpointer data)
{
    prune_item *item = data;

    g_free(item->name);
    g_free(item->what);
    g_free(item);
}

static void add(GPtrArray *items, prune_kind kind, const char *name, gboolean precious, char *what)
{
    prune_item *item = g_new0(prune_item, 1);

    item->kind = kind;
    item->precious = precious;
    item->name = g_strdup(name);
    item->what = what;
    g_ptr_array_add(items, item);
}

/* Certain: a folder that cannot be looked at, or lies on a disk that fails, is not gone. */
static gboolean is_gone(const char *path)
{
    struct stat st;

    return lstat(path, &st) < 0 && (errno == ENOENT || errno == ENOTDIR);
}

static char *size_of(const char *folder)
{
    gint64 bytes = fs_disk_usage(folder);

    return text_format_size(MAX(bytes, 0));
}

static void consider_home(GPtrArray *items, const overview_row *row, const box *its)
{
    if (!is_gone(row->project))
        return;
    if (row->state == BOX_RUNNING) {
        say_note("the project of box '%s' is gone, but the box runs: it is left alone; 'box stop "
                 "%s' stops it",
                 row->name, row->name);
        return;
    }
    g_autofree char *size = size_of(its->home);
    g_autofree char *project = text_safe(row->project, -1);
    add(items, PRUNE_HOME, row->name, TRUE,
        g_strdup_printf("home of box '%s' (%s), whose project '%s' is gone", row->name, size,
                        project));
}

static void consider_row(GPtrArray *items, overview_row *row)
{
    g_autoptr(box) its = box_name_is_valid(row->name) ? box_new(row->name, "/", NULL) : NULL;

    if (row->ephemeral)
        return;
    overview_ask(row);
    if (its && row->registered)
        consider_home(items, row, its);
    /* A label is easily set: the name has to be the one that we give, too. */
    else if (!its || g_strcmp0(row->container, its->container) != 0 ||
             !registry_is_free(row->name, NULL))
        return;
    else if (row->sessions > 0)
        say_note("box '%s' was removed, but has sessions that still run: they are left alone",
                 row->name);
    else
        add(items, PRUNE_CONTAINER, row->name, FALSE,
            g_strdup_printf("container of box '%s', which was removed", row->name));
}

/* Whether the folder of KIND of box NAME, which is not registered, may be in use by one of ROWS. */
static gboolean is_used(const GPtrArray *rows, const char *name, prune_kind kind)
{
    for (guint i = 0; i < rows->len; i++) {
        const overview_row *row = rows->pdata[i];
        if (strcmp(row->name, name) == 0)
            return kind == PRUNE_RUNTIME || row->sessions > 0;
    }
    return FALSE;
}

/* FALSE for a box, and for what may be one. */
static gboolean is_free(const char *name, prune_kind kind)
{
    g_autoptr(GError) problem = NULL;
    gboolean nobodys = registry_is_free(name, &problem);

    if (problem && kind == PRUNE_DATA)
        say_warning("box '%s' is left alone: %s", name, problem->message);
    return nobodys;
}

static void add_data(GPtrArray *items, const char *name, const char *path)
{
    g_autofree char *size = size_of(path);
    g_autofree char *home = g_build_filename(path, "home", NULL);

    add(items, PRUNE_DATA, name, !is_gone(home),
        g_strdup_printf("folder of box '%s' (%s), which was half removed", name, size));
}

/* Folders by the names of boxes that are none. */
static void consider_folders(GPtrArray *items, const GPtrArray *rows, const char *parent,
                             prune_kind kind)
{
    g_autoptr(GDir) folder = parent ? g_dir_open(parent, 0, NULL) : NULL;

    for (const char *name; folder && (name = g_dir_read_name(folder));) {
        g_autofree char *path = g_build_filename(parent, name, NULL);
        g_autofree char *lock = g_build_filename(path, "lock", NULL);
        struct stat st;
        if (!box_name_is_valid(name) || lstat(path, &st) < 0 || !S_ISDIR(st.st_mode) ||
            !is_free(name, kind) || is_used(rows, name, kind) || ephemeral_exists(name))
            continue;
        if (kind == PRUNE_DATA)
            add_data(items, name, path);
        else if (!is_gone(lock))
            add(items, kind, name, FALSE,
                g_strdup_printf("runtime folder of box '%s', which was removed", name));
    }
}

GPtrArray *prune_collect(podman *server, GError **error)
{
    g_autoptr(GPtrArray) rows = overview_collect(server, error);
    g_autofree char *data = paths_data("boxes");
    g_autofree char *runtime = paths_runtime(NULL, NULL);

    if (!rows)
        return NULL;
    GPtrArray *items = g_ptr_array_new_with_free_func(item_free);
    for (guint i = 0; i < rows->len; i++)
        consider_row(items, rows->pdata[i]);
    consider_folders(items, rows, data, PRUNE_DATA);
    consider_folders(items, rows, runtime, PRUNE_RUNTIME);
    return items;
}

/* The container is asked for again: one that only bears our name is another's. */
static gboolean discard(const box *self, podman *server, GError **error)
{
    g_autoptr(box_container) now = container_inspect(self, server, error);

    return now && (now->state == BOX_MISSING || lifecycle_discard(self, server, error));
}

/* Under the registry's own lock: between the folder and its entry a new box is not registered yet.
 */
static gboolean remove_data(const box *self, GError **error)
{
    g_autofree char *path = paths_data("boxes/.lock");
    int lock = fs_lock(path, NULL, error);
    gboolean done =
        lock >= 0 && (!registry_is_free(self->name, NULL) || discard_tree(self->data, error));

    if (lock >= 0)
        close(lock);
    return done;
}

/* NULL when it is in use by now: moved, or back again, while we were asking. */
static box *find_again(const prune_item *item)
{
    g_autoptr(box) known = registry_by_name(item->name, NULL);

    if (item->kind == PRUNE_HOME)
        return known && is_gone(known->project) ? g_steal_pointer(&known) : NULL;
    return registry_is_free(item->name, NULL) ? box_new(item->name, "/", NULL) : NULL;
}

static gboolean remove_locked(const prune_item *item, podman *server, gboolean *removed,
                              GError **error)
{
    g_autoptr(box) self = find_again(item);
    gboolean contained = item->kind == PRUNE_HOME || item->kind == PRUNE_CONTAINER;

    *removed = self != NULL;
    if (!self)
        return TRUE;
    if (contained && !discard(self, server, error))
        return FALSE;
    lifecycle_forget(self);
    if ((item->kind == PRUNE_HOME && !registry_remove(self, error)) ||
        (item->kind == PRUNE_DATA && !remove_data(self, error)))
        return FALSE;
    /* The runtime folder last: it holds the lock. */
    return discard_tree(self->runtime, error);
}

gboolean prune_remove(const prune_item *item, podman *server, gboolean *removed, GError **error)
{
    g_autoptr(box) self = box_new(item->name, "/", error);
    int lock = self ? lifecycle_lock(self, error) : -1;

    if (lock < 0)
        return FALSE;
    say_step("removing the %s", item->what);
    gboolean done = remove_locked(item, server, removed, error);
    say_step_done();
    close(lock);
    return done;
}
