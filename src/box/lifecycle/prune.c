#include "box/lifecycle/prune.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/lifecycle/ephemeral.h"
#include "box/lifecycle/lifecycle.h"
#include "box/lifecycle/made_images.h"
#include "box/lifecycle/overview.h"
#include "box/lifecycle/replace.h"
#include "box/menu/menu_entries.h"
#include "box/registry/box.h"
#include "box/registry/branch.h"
#include "box/registry/branch_names.h"
#include "box/registry/project_rules.h"
#include "box/registry/tools.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "common/units.h"
#include "console/log.h"

typedef enum {
    PRUNE_CONTAINER, /* of a box that is not registered */
    PRUNE_HOME,      /* of a project whose folder does not exist */
    PRUNE_DATA,      /* of a box whose removal was interrupted, or that was set aside */
    PRUNE_RUNTIME,   /* sockets and locks of a box that does not exist */
} prune_kind;

static gboolean remove_item(const removal *item, podman_client *server, gboolean *removed,
                            GError **error);

static void add_item(GPtrArray *items, prune_kind kind, const char *name, gboolean precious,
                     char *what)
{
    removal *item = removals_add(items, remove_item, name, what);

    item->kind = kind;
    item->precious = precious;
}

/* Only when it is certain: not for a folder that cannot be read, or on a failing disk. */
static gboolean is_missing(const char *path)
{
    struct stat st;

    return lstat(path, &st) < 0 && (errno == ENOENT || errno == ENOTDIR);
}

/* As a removal leaves a folder when it is killed before its last step. */
static gboolean is_empty(const char *path)
{
    g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
    return folder && !g_dir_read_name(folder);
}

static char *size_of(const char *folder)
{
    return units_format_size(discard_tree_frees(folder));
}

/* A folder that no box can have: an earlier version registered it before it refused it. */
static void consider_refused(GPtrArray *items, const overview_row *row, const struct box *self)
{
    const char *never = row->state == BOX_MISSING ? project_never(row->project) : NULL;
    if (!never)
        return;
    g_autofree char *project = text_safe(row->project, -1);
    add_item(items, PRUNE_HOME, row->name, !is_missing(self->home),
             g_strdup_printf("box '%s', whose project '%s' cannot be one", row->name, project));
}

static void consider_home(GPtrArray *items, const overview_row *row, const struct box *self)
{
    if (!is_missing(row->project)) {
        consider_refused(items, row, self);
        return;
    }
    if (row->state == BOX_RUNNING) {
        log_note("the project of box '%s' is gone, but the box is running, so it stays; 'box stop "
                 "%s' stops it",
                 row->name, row->name);
        return;
    }
    g_autoptr(GError) branches = NULL;
    if (!registry_check_branches(self, &branches)) {
        log_note("the project of box '%s' is gone, but it stays: %s", row->name, branches->message);
        return;
    }
    g_autofree char *size = size_of(self->data);
    g_autofree char *project = text_safe(row->project, -1);
    add_item(items, PRUNE_HOME, row->name, TRUE,
             g_strdup_printf("home of box '%s' (%s), whose project '%s' is gone", row->name, size,
                             project));
}

static void consider_row(GPtrArray *items, overview_row *row)
{
    g_autoptr(box) self = box_name_is_valid(row->name) ? box_new(row->name, "/", NULL) : NULL;

    if (row->ephemeral || row->branch)
        return;
    overview_row_query_sessions(row);
    if (self && row->registered)
        consider_home(items, row, self);
    /* Any container can have the label, so its name must be Litterbox's too. */
    else if (!self || !replace_is_of(self, row->container) || !registry_is_free(row->name, NULL))
        return;
    else if (row->sessions > 0)
        log_note("box '%s' was removed, but sessions still run in it, so it stays until they end",
                 row->name);
    else
        add_item(items, PRUNE_CONTAINER, row->name, FALSE,
                 g_strdup_printf("container of box '%s', which was removed", row->name));
}

/* TRUE when one of ROWS may use the folder of KIND of NAME, which is not registered. */
static gboolean is_listed(const GPtrArray *rows, const char *name, prune_kind kind)
{
    for (guint i = 0; i < rows->len; i++) {
        const overview_row *row = rows->pdata[i];
        if (strcmp(row->name, name) == 0)
            return kind == PRUNE_RUNTIME || row->sessions > 0;
    }
    return FALSE;
}

/* FALSE when NAME is a box, or may be one. */
static gboolean is_unregistered(const char *name, prune_kind kind)
{
    g_autoptr(GError) problem = NULL;
    gboolean is_free = registry_is_free(name, &problem);

    if (problem && kind == PRUNE_DATA)
        log_warning("the folder of box '%s' is kept: %s", name, problem->message);
    return is_free;
}

static void add_data(GPtrArray *items, const char *name, const char *path)
{
    g_autofree char *size = size_of(path);
    g_autofree char *home = g_build_filename(path, "home", NULL);

    add_item(items, PRUNE_DATA, name, !is_missing(home),
             g_strdup_printf("folder of box '%s' (%s), whose removal was interrupted", name, size));
}

/* Adds folders of PARENT that have the name of a box that does not exist. */
static void consider_folders(GPtrArray *items, const GPtrArray *rows, const char *parent,
                             prune_kind kind)
{
    g_autoptr(GDir) folder = parent ? g_dir_open(parent, 0, NULL) : NULL;

    for (const char *name; folder && (name = g_dir_read_name(folder));) {
        g_autofree char *path = g_build_filename(parent, name, NULL);
        g_autofree char *lock = g_build_filename(path, "lock", NULL);
        struct stat st;
        if (!box_name_is_valid(name) || lstat(path, &st) < 0 || !S_ISDIR(st.st_mode) ||
            !is_unregistered(name, kind) || is_listed(rows, name, kind) ||
            ephemeral_box_exists(name))
            continue;
        if (kind == PRUNE_DATA)
            add_data(items, name, path);
        else if (!is_missing(lock) || is_empty(path))
            add_item(items, kind, name, FALSE,
                     g_strdup_printf("runtime folder of box '%s', which was removed", name));
    }
}

static gboolean remove_ephemeral(const removal *item, podman_client *server, gboolean *removed,
                                 GError **error)
{
    *removed = ephemeral_box_sweep(item->name, server);
    return TRUE;
}

static void consider_ephemeral(GPtrArray *items)
{
    g_auto(GStrv) names = ephemeral_boxes_left();

    for (char **name = names; *name; name++) {
        g_autofree char *data = ephemeral_box_data_path(*name);
        g_autofree char *size = size_of(data);
        removals_add(
            items, remove_ephemeral, *name,
            g_strdup_printf("throw-away box '%s' (%s), whose command was killed", *name, size));
    }
}

static gboolean remove_branch(const removal *item, podman_client *server, gboolean *removed,
                              GError **error)
{
    return branch_remove_left(item->name, item->detail, removed, error);
}

/* Nothing of them is precious: their removal had a yes. */
static void consider_branches(GPtrArray *items)
{
    g_auto(GStrv) boxes = registry_names();

    for (char **of = boxes; *of; of++) {
        g_auto(GStrv) names = branch_names_left(*of);
        g_autofree char *folder = branch_folder(*of);
        for (char **name = names; *name; name++) {
            g_autofree char *path = g_build_filename(folder, *name, NULL);
            g_autofree char *size = size_of(path);
            char *what = g_strdup_printf("folder of branch '%s' of box '%s' (%s), whose removal "
                                         "was interrupted",
                                         *name, *of, size);
            removals_add(items, remove_branch, *of, what)->detail = g_strdup(*name);
        }
    }
}

static gboolean remove_tool(const removal *item, podman_client *server, gboolean *removed,
                            GError **error)
{
    int lock = tools_lock(item->name, NULL, error);

    if (lock < 0)
        return FALSE;
    gint64 before = tools_disk_freed(item->name);
    tools_sweep(item->name);
    *removed = tools_disk_freed(item->name) < before; /* a session may run it */
    close(lock);
    return TRUE;
}

static void consider_tools(GPtrArray *items)
{
    g_auto(GStrv) names = tools_unused();

    for (char **name = names; *name; name++) {
        g_autofree char *size = units_format_size(tools_disk_freed(*name));
        removals_add(items, remove_tool, *name,
                     g_strdup_printf("what no box uses of agent '%s' (at most %s)", *name, size));
    }
}

/* Menu entries of boxes that are gone: those of a box that goes now go with it. */
static void consider_entries(GPtrArray *items)
{
    g_autoptr(GPtrArray) list = menu_entries_find(NULL);

    for (guint i = 0; i < list->len; i++) {
        const menu_entry *file = list->pdata[i];
        if (!file->is_orphan)
            continue;
        char *what =
            g_strdup_printf("menu entry '%s' of box '%s', which is gone", file->id, file->box);
        removals_add_menu_entry(items, file->box, file->id, what);
    }
}

/* The containers that ITEMS remove: by then they use no image. A new set. */
static GHashTable *containers_of(const GPtrArray *items, gboolean assume_yes)
{
    GHashTable *names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    for (guint i = 0; i < items->len; i++) {
        const removal *item = items->pdata[i];
        g_autoptr(box) gone = item->remove == remove_ephemeral || item->remove == remove_item
                                  ? box_new(item->name, "/", NULL)
                                  : NULL;
        if (gone && (assume_yes || !item->precious))
            g_hash_table_add(names, g_strdup(gone->container));
    }
    return names;
}

static gboolean consider_images(GPtrArray *items, podman_client *server, gboolean assume_yes,
                                GError **error)
{
    g_autoptr(GHashTable) ignored = containers_of(items, assume_yes);
    g_autoptr(made_images) images = made_images_find(server, ignored, error);

    if (images)
        made_images_plan_replaced(images, items);
    return images != NULL;
}

GPtrArray *prune_plan(podman_client *server, gboolean assume_yes, GError **error)
{
    g_autoptr(GPtrArray) rows = box_overview(server, error), items = removals_new();
    g_autofree char *data = paths_data("boxes");
    g_autofree char *runtime = paths_runtime(NULL, NULL);

    if (!rows)
        return NULL;
    for (guint i = 0; i < rows->len; i++)
        consider_row(items, rows->pdata[i]);
    consider_folders(items, rows, data, PRUNE_DATA);
    consider_folders(items, rows, runtime, PRUNE_RUNTIME);
    consider_branches(items);
    consider_ephemeral(items);
    consider_tools(items);
    consider_entries(items);
    return consider_images(items, server, assume_yes, error) ? g_steal_pointer(&items) : NULL;
}

/* Inspects the container first, because another program's container may have its name. */
static gboolean remove_container(const struct box *self, podman_client *server, GError **error)
{
    g_autoptr(box_container) now = box_container_inspect(self, server, error);

    return now && (now->state == BOX_MISSING || box_remove_container(self, server, error)) &&
           replace_remove_others(self, server, error);
}

/* With the registry's lock, because a new box has a folder before it is registered. */
static gboolean remove_data(const struct box *self, GError **error)
{
    int lock = registry_lock(error);
    gboolean done =
        lock >= 0 && (!registry_is_free(self->name, NULL) || discard_tree(self->data, error));

    if (lock >= 0)
        close(lock);
    return done;
}

/* NULL when it is in use again: the project was moved or has come back since the search. */
static struct box *find_again(const removal *item)
{
    g_autoptr(box) known = registry_by_name(item->name, NULL);

    if (item->kind == PRUNE_HOME)
        return known && (is_missing(known->project) || project_never(known->project))
                   ? g_steal_pointer(&known)
                   : NULL;
    return registry_is_free(item->name, NULL) ? box_new(item->name, "/", NULL) : NULL;
}

static gboolean remove_locked(const removal *item, podman_client *server, gboolean *removed,
                              GError **error)
{
    g_autoptr(box) self = find_again(item);
    gboolean has_container = item->kind == PRUNE_HOME || item->kind == PRUNE_CONTAINER;

    *removed = self != NULL;
    if (!self)
        return TRUE;
    if (has_container && !remove_container(self, server, error))
        return FALSE;
    box_revoke_host_access(self);
    if ((item->kind == PRUNE_HOME && !registry_remove(self, error)) ||
        (item->kind == PRUNE_DATA && !remove_data(self, error)))
        return FALSE;
    /* The runtime folder last, because it contains the lock. */
    return discard_runtime(self->runtime, error);
}

static gboolean remove_item(const removal *item, podman_client *server, gboolean *removed,
                            GError **error)
{
    g_autoptr(box) self = box_new(item->name, "/", error);
    int lock = self ? box_lock(self, error) : -1;

    if (lock < 0)
        return FALSE;
    gboolean done = remove_locked(item, server, removed, error);
    close(lock);
    return done;
}
