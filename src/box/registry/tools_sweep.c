/* What no box uses of the programs that they share. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "box/registry/registry.h"
#include "box/registry/tools.h"
#include "box/registry/tools_files.h"
#include "common/fs.h"
#include "common/paths.h"

/* The kinds in which boxes use NAME. */
static GHashTable *used_kinds(const char *name)
{
    GHashTable *kinds = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_auto(GStrv) boxes = registry_names();
    for (char **each = boxes; *each; each++) {
        g_autofree char *data = box_data_path(*each);
        g_autofree char *path = g_build_filename(data, TOOLS_FOLDER, name, NULL);
        char *kind = tools_read_kind(path);
        if (kind)
            g_hash_table_add(kinds, kind);
    }
    return kinds;
}

/* Who has just found it looks once more what is current when it has the lock. */
static void remove_unless_run(const char *name, const char *id)
{
    g_autofree char *lock = tools_file(TOOLS_LOCKS, name, id), *from = tools_shared_file(name, id);
    g_autofree char *to = tools_file(TOOLS_WORK, name, id), *work = paths_data(TOOLS_WORK);
    int fd = fs_try_lock(lock);
    if (fd < 0)
        return;
    if (fs_make_folder(work, 0700, NULL) && rename(from, to) == 0)
        unlink(lock);
    close(fd);
}

/* Calls EACH for all names in FOLDER that begin with PREFIX, with the rest of each. */
static void each_name(const char *folder, const char *prefix,
                      void (*each)(const char *rest, void *data), void *data)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (const char *file; dir && (file = g_dir_read_name(dir));)
        if (g_str_has_prefix(file, prefix))
            g_ptr_array_add(names, g_strdup(file + strlen(prefix)));
    for (guint i = 0; i < names->len; i++)
        each(names->pdata[i], data);
}

typedef struct {
    const char *name;
    GHashTable *kinds; /* that boxes use */
    GHashTable *ids;   /* that they run */
    gboolean unused;   /* there is one that no box uses */
} sweep;

static void sweep_pointer(const char *kind, void *data)
{
    const sweep *self = data;
    g_autofree char *path = tools_pointer(self->name, kind);
    char *id = g_hash_table_contains(self->kinds, kind) ? tools_current(self->name, kind) : NULL;
    if (id)
        g_hash_table_add(self->ids, id);
    else
        unlink(path);
}

static void sweep_id(const char *id, void *data)
{
    const sweep *self = data;
    if (tools_id_is_valid(id) && !g_hash_table_contains(self->ids, id))
        remove_unless_run(self->name, id);
}

static void sweep_lock(const char *id, void *data)
{
    const sweep *self = data;
    g_autofree char *path = tools_shared_file(self->name, id),
                    *lock = tools_file(TOOLS_LOCKS, self->name, id);
    if (tools_id_is_valid(id) && access(path, F_OK) < 0 && errno == ENOENT)
        unlink(lock);
}

static void sweep_work(const char *id, void *data)
{
    const sweep *self = data;
    g_autofree char *path = tools_file(TOOLS_WORK, self->name, id);
    if (tools_id_is_valid(id))
        discard_tree(path, NULL);
}

void tools_sweep(const char *name)
{
    g_autofree char *folder = tools_shared_file(name, NULL), *work = paths_data(TOOLS_WORK),
                    *locks = paths_data(TOOLS_LOCKS);
    g_autofree char *prefix = g_strconcat(name, ".", NULL);
    g_autoptr(GHashTable) kinds = used_kinds(name);
    g_autoptr(GHashTable) ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    sweep self = {.name = name, .kinds = kinds, .ids = ids};
    fs_remove_temporary(folder);
    each_name(folder, TOOLS_POINTER, sweep_pointer, &self);
    each_name(folder, "", sweep_id, &self);
    each_name(work, prefix, sweep_work, &self);
    each_name(locks, prefix, sweep_lock, &self);
    rmdir(folder); /* with the last one */
}

static void note_pointer(const char *kind, void *data)
{
    sweep *self = data;
    char *id = g_hash_table_contains(self->kinds, kind) ? tools_current(self->name, kind) : NULL;
    if (id)
        g_hash_table_add(self->ids, id);
    else
        self->unused = TRUE;
}

/* A program that ran when its last box went, too. */
static void note_id(const char *id, void *data)
{
    sweep *self = data;
    self->unused |= tools_id_is_valid(id) && !g_hash_table_contains(self->ids, id);
}

static void note_work(const char *id, void *data)
{
    sweep *self = data;
    self->unused |= tools_id_is_valid(id);
}

/* Who changes it sweeps, too. */
static gboolean is_being_changed(const char *name)
{
    g_autofree char *lock = tools_file(TOOLS_LOCKS, name, NULL);
    int fd = access(lock, F_OK) == 0 ? fs_try_lock(lock) : -1;
    gboolean is_locked = fd < 0 && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return is_locked;
}

static gboolean has_unused(const char *name)
{
    g_autofree char *folder = tools_shared_file(name, NULL), *work = paths_data(TOOLS_WORK);
    g_autofree char *prefix = g_strconcat(name, ".", NULL);
    g_autoptr(GHashTable) kinds = used_kinds(name);
    g_autoptr(GHashTable) ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    sweep self = {.name = name, .kinds = kinds, .ids = ids};
    if (is_being_changed(name))
        return FALSE;
    each_name(folder, TOOLS_POINTER, note_pointer, &self);
    each_name(folder, "", note_id, &self);
    each_name(work, prefix, note_work, &self);
    /* Also a folder that is empty, as a removal has it before its last step. */
    return self.unused || (g_hash_table_size(ids) == 0 && access(folder, F_OK) == 0);
}

static void add_name(const char *name, void *data)
{
    g_hash_table_add(data, g_strdup(name));
}

/* FILE of TOOLS_WORK is "NAME.ID". */
static void add_name_of_work(const char *file, void *data)
{
    const char *dot = strrchr(file, '.');
    if (dot && tools_id_is_valid(dot + 1))
        g_hash_table_add(data, g_strndup(file, (gsize)(dot - file)));
}

char **tools_unused(void)
{
    g_autofree char *top = tools_folder(), *work = paths_data(TOOLS_WORK);
    g_autoptr(GHashTable) all = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GStrvBuilder) names = g_strv_builder_new();
    each_name(top, "", add_name, all);
    each_name(work, "", add_name_of_work, all);
    g_autoptr(GList) sorted = g_list_sort(g_hash_table_get_keys(all), (GCompareFunc)strcmp);
    for (const GList *name = sorted; name; name = name->next)
        if (has_unused(name->data))
            g_strv_builder_add(names, name->data);
    return g_strv_builder_end(names);
}

typedef struct {
    const char *name;
    gint64 bytes;
} size_of_work;

static void add_work(const char *id, void *data)
{
    size_of_work *self = data;
    g_autofree char *path = tools_file(TOOLS_WORK, self->name, id);
    if (tools_id_is_valid(id))
        self->bytes += discard_tree_frees(path);
}

gint64 tools_disk_freed(const char *name)
{
    g_autofree char *folder = tools_shared_file(name, NULL), *work = paths_data(TOOLS_WORK);
    g_autofree char *prefix = g_strconcat(name, ".", NULL);
    size_of_work self = {.name = name};
    each_name(work, prefix, add_work, &self);
    return self.bytes + discard_tree_frees(folder);
}
