#include "menu/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "menu/icon.h"

#define SUFFIX ".desktop"
#define ICON_SUFFIX ".png"
/* Ours are a few hundred bytes. */
#define FILE_MAX (64 * 1024)

static char *entries_folder(void)
{
    return g_build_filename(g_get_user_data_dir(), "applications", NULL);
}

static char *icons_folder(guint side)
{
    g_autofree char *size = g_strdup_printf("%ux%u", side, side);
    return g_build_filename(g_get_user_data_dir(), "icons", "hicolor", size, "apps", NULL);
}

/* What the names of all that BOX has begin with; of all boxes without one. */
static char *prefix_of(const char *box)
{
    const char *instance = paths_instance();
    return g_strconcat("litterbox", *instance ? "+" : "-", instance, *instance ? "+" : "",
                       box ? box : "", box ? "+" : "", NULL);
}

char *app_files_icon_name(const char *box, const char *id)
{
    g_autofree char *prefix = prefix_of(box);
    return g_strconcat(prefix, id, NULL);
}

static char *entry_path(const char *box, const char *id)
{
    g_autofree char *folder = entries_folder();
    g_autofree char *stem = app_files_icon_name(box, id);
    g_autofree char *name = g_strconcat(stem, SUFFIX, NULL);
    return g_build_filename(folder, name, NULL);
}

static void app_file_free(gpointer data)
{
    app_file *self = data;
    g_free(self->box);
    g_free(self->id);
    g_free(self->text);
    g_free(self);
}

static gboolean is_gone(const char *box)
{
    g_autofree char *tail = g_build_filename("boxes", box, NULL);
    g_autofree char *data = paths_data(tail);
    return access(data, F_OK) < 0 && errno == ENOENT;
}

/* The entry at PATH when it is ours; NULL. */
static app_file *read_entry(const char *path)
{
    g_autofree char *text = NULL;
    gsize length = 0;
    g_autoptr(GKeyFile) file = g_key_file_new();
    if (!fs_read(AT_FDCWD, path, FILE_MAX, &text, &length, NULL) ||
        !g_key_file_load_from_data(file, text, length, G_KEY_FILE_NONE, NULL))
        return NULL;
    g_autofree char *box = g_key_file_get_string(file, ENTRY_GROUP, ENTRY_KEY_BOX, NULL);
    g_autofree char *id = g_key_file_get_string(file, ENTRY_GROUP, ENTRY_KEY_APP, NULL);
    g_autofree char *instance = g_key_file_get_string(file, ENTRY_GROUP, ENTRY_KEY_INSTANCE, NULL);
    g_autofree char *program = g_key_file_get_string(file, ENTRY_GROUP, "TryExec", NULL);
    if (!box || !id || !program || strchr(box, '/') || !entry_id_is_valid(id, -1) ||
        strcmp(instance ? instance : "", paths_instance()) != 0)
        return NULL;
    g_autofree char *own = entry_path(box, id);
    if (strcmp(own, path) != 0)
        return NULL;
    app_file *self = g_new0(app_file, 1);
    *self = (app_file){.in_vain = access(program, X_OK) < 0, .orphan = is_gone(box)};
    self->box = g_steal_pointer(&box);
    self->id = g_steal_pointer(&id);
    self->text = g_steal_pointer(&text);
    return self;
}

static gint compare(gconstpointer a, gconstpointer b)
{
    const app_file *one = *(const app_file *const *)a, *other = *(const app_file *const *)b;
    int order = strcmp(one->box, other->box);
    return order ? order : strcmp(one->id, other->id);
}

GPtrArray *app_files_find(const char *box)
{
    g_autofree char *folder = entries_folder();
    g_autofree char *prefix = prefix_of(box);
    GPtrArray *list = g_ptr_array_new_with_free_func(app_file_free);
    g_autoptr(GDir) names = g_dir_open(folder, 0, NULL);
    for (const char *name; names && (name = g_dir_read_name(names));) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        app_file *one = g_str_has_prefix(name, prefix) ? read_entry(path) : NULL;
        if (one)
            g_ptr_array_add(list, one);
    }
    g_ptr_array_sort(list, compare);
    return list;
}

const app_file *app_files_of(const GPtrArray *list, const char *id)
{
    for (guint i = 0; i < list->len; i++) {
        const app_file *one = list->pdata[i];
        if (strcmp(one->id, id) == 0)
            return one;
    }
    return NULL;
}

/* Removes from FOLDER the icons whose names begin with START; ALONE: with nothing behind it. */
static void remove_icons_in(const char *folder, const char *start, gboolean alone)
{
    g_autoptr(GDir) names = g_dir_open(folder, 0, NULL);
    for (const char *name; names && (name = g_dir_read_name(names));) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (g_str_has_prefix(name, start) &&
            (!alone || strcmp(name + strlen(start), ICON_SUFFIX) == 0))
            unlink(path);
    }
}

static void remove_icons(const char *start, gboolean alone)
{
    for (const guint *side = icon_sides; *side; side++) {
        g_autofree char *folder = icons_folder(*side);
        remove_icons_in(folder, start, alone);
    }
}

static gboolean write_icon(const char *name, GByteArray *icon, guint side, GError **error)
{
    g_autofree char *folder = icons_folder(side);
    g_autofree char *file = g_strconcat(name, ICON_SUFFIX, NULL);
    g_autofree char *path = g_build_filename(folder, file, NULL);
    return fs_make_folder(folder, 0700, error) &&
           fs_write(path, (const char *)icon->data, (gssize)icon->len, 0600, error);
}

/* TRUE when PATH is free, or ours to replace. */
static gboolean check_place(const char *path, GError **error)
{
    struct stat st;
    app_file *there = read_entry(path);
    gboolean ours = there != NULL;
    g_clear_pointer(&there, app_file_free);
    if (ours || (lstat(path, &st) < 0 && errno == ENOENT))
        return TRUE;
    g_autofree char *safe = text_safe(path, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                "'%s' is there and no entry of Litterbox's: it stays as it is; move it away", safe);
    return FALSE;
}

gboolean app_files_write(const char *box, const char *id, const char *text, GByteArray *icon,
                         guint side, GError **error)
{
    g_autofree char *folder = entries_folder();
    g_autofree char *path = entry_path(box, id);
    g_autofree char *name = app_files_icon_name(box, id);
    if (!fs_make_folder(folder, 0700, error) || !check_place(path, error))
        return FALSE;
    remove_icons(name, TRUE);
    return (!icon || write_icon(name, icon, side, error)) && fs_write(path, text, -1, 0600, error);
}

gboolean app_files_remove(const char *box, const char *id, GError **error)
{
    g_autofree char *path = entry_path(box, id);
    g_autofree char *name = app_files_icon_name(box, id);
    app_file *there = read_entry(path);
    int failed = there && unlink(path) < 0 && errno != ENOENT ? errno : 0;
    g_clear_pointer(&there, app_file_free);
    if (failed) {
        g_autofree char *safe = text_safe(path, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "'%s': %s", safe, g_strerror(failed));
        return FALSE;
    }
    remove_icons(name, TRUE);
    return TRUE;
}

void app_files_forget(const char *box)
{
    g_autofree char *prefix = prefix_of(box);
    g_autoptr(GPtrArray) list = app_files_find(box);
    for (guint i = 0; i < list->len; i++) {
        const app_file *one = list->pdata[i];
        app_files_remove(box, one->id, NULL);
    }
    remove_icons(prefix, FALSE);
    if (list->len)
        app_files_announce();
}

char *app_files_tool(const char *name)
{
    static const char *const folders[] = {"/usr/bin", "/usr/local/bin", "/bin",
                                          "/run/current-system/sw/bin"};
    for (gsize i = 0; i < G_N_ELEMENTS(folders); i++) {
        g_autofree char *path = g_build_filename(folders[i], name, NULL);
        if (access(path, X_OK) == 0)
            return g_steal_pointer(&path);
    }
    return NULL;
}

void app_files_announce(void)
{
    g_autofree char *folder = entries_folder();
    g_autofree char *tool = app_files_tool("update-desktop-database");
    char *argv[] = {tool, (char *)"-q", folder, NULL};
    if (tool)
        g_spawn_sync("/", argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL,
                     NULL, NULL, NULL, NULL, NULL);
}
