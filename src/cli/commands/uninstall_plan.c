#include "cli/commands/uninstall_plan.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "box/helpers/agent.h"
#include "box/lifecycle/ephemeral.h"
#include "box/lifecycle/lifecycle.h"
#include "box/lifecycle/made_images.h"
#include "box/lifecycle/overview.h"
#include "box/lifecycle/replace.h"
#include "box/menu/menu_entries.h"
#include "box/registry/branch_names.h"
#include "box/registry/shims.h"
#include "box/snapshot/snapshot.h"
#include "box/snapshot/system_image.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "common/units.h"
#include "config/secret_file.h"
#include "host/supervisor/helper_lock.h"
#include "host/supervisor/helper_start.h"
#include "plan/writable_folders.h"

void uninstall_plan_clear(uninstall_plan *self)
{
    g_clear_pointer(&self->items, g_ptr_array_unref);
    g_clear_pointer(&self->stays, g_ptr_array_unref);
}

static gboolean exists(const char *path)
{
    struct stat st;
    return path && lstat(path, &st) == 0;
}

static void add_stay(uninstall_plan *self, char *what)
{
    g_ptr_array_add(self->stays, what);
}

/* "WHAT '/the/path' (1.2 GiB)", a new string. */
static char *describe_folder(const char *what, const char *path)
{
    g_autofree char *size = units_format_size(discard_tree_frees(path));
    g_autofree char *safe = text_safe(path, -1);
    return g_strdup_printf("%s '%s' (%s)", what, safe, size);
}

/* What starts boxes. */

static gboolean remove_shim(const removal *item, podman_client *server, gboolean *removed,
                            GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autofree char *folder = shims_folder();
    *removed = shims_remove(item->name, &problem);
    rmdir(folder); /* with the last shim, unless something else is there */
    if (*removed || g_error_matches(problem, BOX_ERROR, BOX_ERROR_NOT_FOUND))
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&problem));
    return FALSE;
}

static void plan_shims(uninstall_plan *self)
{
    g_auto(GStrv) names = shims_names();
    for (char **name = names; *name; name++)
        removals_add(self->items, remove_shim, *name, g_strdup_printf("shim '%s'", *name));
}

static void plan_entries(uninstall_plan *self)
{
    g_autoptr(GPtrArray) list = menu_entries_find(NULL);
    for (guint i = 0; i < list->len; i++) {
        const menu_entry *file = list->pdata[i];
        char *what = g_strdup_printf("menu entry '%s' of box '%s'", file->id, file->box);
        removals_add_menu_entry(self->items, file->box, file->id, what);
    }
}

static gboolean stop_agent(const removal *item, podman_client *server, gboolean *removed,
                           GError **error)
{
    if (helper_stop(item->name, AGENT_HELPER))
        return TRUE;
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_STATE, "the SSH agent does not end");
    return FALSE;
}

static void plan_agent(uninstall_plan *self)
{
    struct helper_holder holder = {.state = HELPER_ABSENT};
    g_autofree char *folder = agent_path(NULL);
    if (folder)
        helper_lock_read(folder, AGENT_HELPER, &holder);
    if (holder.state != HELPER_ABSENT)
        removals_add(self->items, stop_agent, folder, g_strdup("process of the SSH agent"));
}

/* Containers. */

static gboolean uninstall_box(const removal *item, podman_client *server, gboolean *removed,
                              GError **error)
{
    g_autoptr(box) gone = box_new(item->name, "/", error);
    int lock = gone ? box_lock(gone, error) : -1;
    if (lock < 0)
        return FALSE;
    g_autoptr(box_container) now = box_container_inspect(gone, server, error);
    gboolean done = now &&
                    (now->state == BOX_MISSING || box_remove_container(gone, server, error)) &&
                    replace_remove_others(gone, server, error);
    if (done)
        box_revoke_host_access(gone);
    close(lock);
    return done;
}

/* Any container can have Litterbox's labels, so its name must be Litterbox's too. */
static gboolean plan_containers(uninstall_plan *self, GHashTable *containers, podman_client *server,
                                GError **error)
{
    g_autoptr(GPtrArray) rows = box_overview(server, error);
    for (guint i = 0; rows && i < rows->len; i++) {
        const overview_row *row = rows->pdata[i];
        g_autoptr(box) owner = box_name_is_valid(row->name) ? box_new(row->name, "/", NULL) : NULL;
        if (!owner || !row->container || !replace_is_of(owner, row->container))
            continue;
        guint sessions = box_count_sessions(owner);
        char *what = sessions == 0 ? g_strdup_printf("container of box '%s'", row->name)
                     : sessions == 1
                         ? g_strdup_printf("container of box '%s', with 1 open session", row->name)
                         : g_strdup_printf("container of box '%s', with %u open sessions",
                                           row->name, sessions);
        removals_add(self->items, uninstall_box, row->name, what);
        g_hash_table_add(containers, g_strdup(row->container));
    }
    return rows != NULL;
}

/* Homes. */

/* FALSE with ERROR while the container of NAME exists: its removal has failed. */
static gboolean check_without_container(const char *name, podman_client *server, GError **error)
{
    g_autoptr(box) owner = box_new(name, "/", error);
    g_autoptr(box_container) now = owner ? box_container_inspect(owner, server, error) : NULL;
    if (now && now->state != BOX_MISSING)
        g_set_error(error, BOX_ERROR, BOX_ERROR_STATE, "the container of box '%s' exists", name);
    return now && now->state == BOX_MISSING;
}

static gboolean remove_branches(const struct box *of, podman_client *server, GError **error)
{
    g_auto(GStrv) names = branch_names(of->name);
    g_autofree char *folder = branch_folder(of->name);
    for (char **name = names; *name; name++) {
        g_autofree char *full = g_strdup_printf("%s.%s", of->name, *name);
        if (!check_without_container(full, server, error))
            return FALSE;
    }
    return discard_tree(folder, error);
}

static gboolean remove_home(const removal *item, podman_client *server, gboolean *removed,
                            GError **error)
{
    g_autoptr(box) known = registry_by_name(item->name, NULL);
    g_autofree char *data = box_data_path(item->name);
    if (!check_without_container(item->name, server, error))
        return FALSE;
    return known ? remove_branches(known, server, error) && registry_remove(known, error)
                 : discard_tree(data, error);
}

/* What is in a home and in the branches is nowhere else. */
static void plan_home(uninstall_plan *self, const char *name, const char *path, gboolean goes)
{
    g_auto(GStrv) branches = branch_names(name);
    g_autofree char *list = g_strjoinv(", ", branches);
    g_autofree char *size = units_format_size(discard_tree_frees(path));
    char *what = g_strdup_printf("home of box '%s'%s%s (%s)", name,
                                 *list ? " and its branches " : "", list, size);
    if (goes)
        removals_add(self->items, remove_home, name, what)->precious = TRUE;
    else
        add_stay(self, what);
}

/* Also folders that are not registered, which an interrupted removal has left. */
static void plan_homes(uninstall_plan *self, gboolean goes)
{
    g_autofree char *parent = paths_data("boxes");
    g_autoptr(GDir) folder = g_dir_open(parent, 0, NULL);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (const char *name; folder && (name = g_dir_read_name(folder));) {
        g_autofree char *path = g_build_filename(parent, name, NULL);
        struct stat st;
        if (box_name_is_valid(name) && lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
            g_ptr_array_add(names, g_strdup(name));
    }
    g_ptr_array_sort(names, text_compare);
    for (guint i = 0; i < names->len; i++) {
        g_autofree char *path = g_build_filename(parent, names->pdata[i], NULL);
        plan_home(self, names->pdata[i], path, goes);
    }
}

static gboolean is_planned(const uninstall_plan *self, const made_image *image)
{
    for (guint i = 0; i < self->items->len; i++) {
        const removal *item = self->items->pdata[i];
        if (g_strcmp0(item->image, image->id) == 0)
            return TRUE;
    }
    return FALSE;
}

static gboolean plan_images(uninstall_plan *self, GHashTable *containers, podman_client *server,
                            gboolean homes, GError **error)
{
    g_autoptr(made_images) images = made_images_find(server, containers, error);
    /* Snapshots go with the homes. */
    if (!images || !system_images_plan(self->items, server, homes, error))
        return FALSE;
    made_images_plan_all(images, self->items);
    g_autoptr(GPtrArray) list = made_images_list(images);
    for (guint i = 0; i < list->len; i++) {
        const made_image *image = list->pdata[i];
        g_autofree char *title = made_image_title(image), *safe = text_safe(title, -1);
        if (image->is_snapshot && !is_planned(self, image))
            add_stay(self, g_strdup_printf("image '%s' of a snapshot", safe));
        if (!image->users->len)
            continue;
        g_autofree char *user = text_safe(image->users->pdata[0], -1);
        add_stay(self, g_strdup_printf("image '%s', which container '%s' uses", safe, user));
    }
    return TRUE;
}

/* Folders and files. */

static gboolean remove_tree(const removal *item, podman_client *server, gboolean *removed,
                            GError **error)
{
    return discard_tree(item->name, error);
}

/* A home that could not be removed keeps its snapshots. */
static gboolean remove_snapshots(const removal *item, podman_client *server, gboolean *removed,
                                 GError **error)
{
    return snapshot_remove_store(error);
}

static gboolean remove_written_list(const removal *item, podman_client *server, gboolean *removed,
                                    GError **error)
{
    g_auto(GStrv) kept = registry_names();
    *removed = !*kept; /* a home that could not be removed keeps it, too */
    return *kept || discard_tree(item->name, error);
}

static void plan_removal(uninstall_plan *self, const char *what, const char *path, gboolean goes,
                         removal_func remove)
{
    if (!exists(path))
        return;
    char *described = describe_folder(what, path);
    if (goes)
        removals_add(self->items, remove, path, described);
    else
        add_stay(self, described);
}

static void plan_tree(uninstall_plan *self, const char *what, const char *path, gboolean goes)
{
    plan_removal(self, what, path, goes, remove_tree);
}

static gboolean remove_runtime(const removal *item, podman_client *server, gboolean *removed,
                               GError **error)
{
    g_autoptr(GDir) folder = g_dir_open(item->name, 0, NULL);
    for (const char *name; folder && (name = g_dir_read_name(folder));) {
        g_autofree char *path = g_build_filename(item->name, name, NULL);
        if (box_name_is_valid(name) && !check_without_container(name, server, error))
            return FALSE;
        helper_stop_all(path);
    }
    return discard_tree(item->name, error);
}

static void plan_runtime(uninstall_plan *self, gboolean any_container)
{
    g_autofree char *path = paths_runtime(NULL, NULL);
    g_autofree char *safe = text_safe(path, -1);
    if (path && (exists(path) || any_container))
        removals_add(self->items, remove_runtime, path,
                     g_strdup_printf("helpers of boxes, and their sockets and logs in '%s'", safe));
}

/* Names in the data folder that are of no use without boxes. */
static const char *const records[] = {
    "projects",
    "ephemeral",
    WRITABLE_FOLDERS_LOCK,
    "boxes/.lock",
    "boxes/.taking.lock",
    "boxes/.detaching.lock",
    "boxes/.cloning.lock",
};
/* Folders that go when they are empty: the user may have put something there. */
static const char *const emptied[] = {"boxes", "shims", ""};

static gboolean remove_records(const removal *item, podman_client *server, gboolean *removed,
                               GError **error)
{
    for (gsize i = 0; i < G_N_ELEMENTS(records); i++) {
        g_autofree char *path = paths_data(records[i]);
        if (!discard_tree(path, error))
            return FALSE;
    }
    for (gsize i = 0; i < G_N_ELEMENTS(emptied); i++) {
        g_autofree char *path = paths_data(*emptied[i] ? emptied[i] : NULL);
        rmdir(path);
    }
    return TRUE;
}

static void plan_records(uninstall_plan *self)
{
    g_autofree char *path = paths_data(NULL), *safe = text_safe(path, -1);
    gboolean found = FALSE;
    for (gsize i = 0; i < G_N_ELEMENTS(records); i++) {
        g_autofree char *each = paths_data(records[i]);
        found |= exists(each);
    }
    if (found)
        removals_add(self->items, remove_records, path,
                     g_strdup_printf("index of projects in '%s'", safe));
}

/* HOMES: those go, and so do their snapshots. */
static void plan_files(uninstall_plan *self, const uninstall_choice *choice, gboolean homes)
{
    g_autofree char *state = paths_state(NULL), *keys = paths_data("keys"),
                    *secrets = secret_value_folder(), *written = paths_config(NULL),
                    *snapshots = paths_data("snapshots"), *tools = paths_data("tools"),
                    *folders = paths_data(WRITABLE_FOLDERS_FILE);
    plan_tree(self, "approvals and other state in", state, TRUE);
    plan_tree(self, "AI agents in", tools, TRUE);
    plan_removal(self, "contents of snapshots in", snapshots, homes, remove_snapshots);
    /* What boxes wrote there stays, and the next Litterbox must know of it. */
    plan_removal(self, "list of folders that boxes could write,", folders, homes,
                 remove_written_list);
    plan_tree(self, "SSH keys in", keys, choice->keys);
    plan_tree(self, "values of secrets in", secrets, choice->keys);
    plan_tree(self, "configuration in", written, choice->config);
}

static gboolean plan_podman(uninstall_plan *self, podman_client *server,
                            const uninstall_choice *choice, GError **error)
{
    g_autoptr(GHashTable) containers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    if (!plan_containers(self, containers, server, error))
        return FALSE;
    plan_homes(self, choice->homes);
    if (!plan_images(self, containers, server, choice->homes, error))
        return FALSE;
    plan_runtime(self, g_hash_table_size(containers) > 0);
    return TRUE;
}

gboolean uninstall_plan_make(uninstall_plan *self, podman_client *server,
                             const uninstall_choice *choice, GError **error)
{
    *self = (uninstall_plan){removals_new(), g_ptr_array_new_with_free_func(g_free)};
    plan_shims(self);
    plan_entries(self);
    plan_agent(self);
    if (!server) {
        plan_homes(self, FALSE);
        add_stay(self,
                 g_strdup("containers, images, and helpers and sockets of boxes, as Podman does "
                          "not answer"));
    } else if (!plan_podman(self, server, choice, error)) {
        return FALSE;
    }
    plan_files(self, choice, choice->homes && server);
    if (server)
        plan_records(self);
    return TRUE;
}
