#include "plan/facts.h"
#include "common/fs.h"

#include <string.h>

static void file_free(gpointer data)
{
    plan_file *file = data;

    g_free(file->path);
    g_free(file->real);
    g_strfreev(file->links);
    g_free(file->foreign_link);
    g_free(file);
}

static void etc_free(gpointer data)
{
    plan_etc *etc = data;

    g_free(etc->name);
    g_free(etc->target);
    g_free(etc);
}

static void root_folder_free(gpointer data)
{
    plan_root_folder *folder = data;

    g_free(folder->name);
    g_free(folder->target);
    g_free(folder);
}

static void toolchain_free(gpointer data)
{
    plan_toolchain *toolchain = data;

    g_free(toolchain->folder);
    g_free(toolchain->real);
    g_free(toolchain->bin);
    g_strfreev(toolchain->secrets);
    g_free(toolchain);
}

static void theme_folder_free(gpointer data)
{
    plan_theme_folder *folder = data;

    g_free(folder->source);
    g_free(folder->name);
    g_free(folder);
}

plan_facts *plan_facts_new(void)
{
    plan_facts *self = g_new0(plan_facts, 1);

    self->root_folders = g_ptr_array_new_with_free_func(root_folder_free);
    self->etc = g_ptr_array_new_with_free_func(etc_free);
    self->toolchains = g_ptr_array_new_with_free_func(toolchain_free);
    self->theme_folders = g_ptr_array_new_with_free_func(theme_folder_free);
    self->paths = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, file_free);
    return self;
}

static void git_clear(plan_git *self)
{
    g_free(self->folder);
    g_strfreev(self->modules);
    g_strfreev(self->worktrees);
    g_strfreev(self->named);
    g_strfreev(self->borrowed);
    g_free(self->distrusted);
}

void plan_facts_free(plan_facts *self)
{
    if (!self)
        return;
    g_free(self->user);
    g_free(self->group);
    g_free(self->home);
    g_free(self->shell);
    g_free(self->init);
    g_free(self->shims);
    g_free(self->nixos_system);
    g_ptr_array_unref(self->root_folders);
    g_ptr_array_unref(self->etc);
    g_ptr_array_unref(self->toolchains);
    g_ptr_array_unref(self->theme_folders);
    appearance_free(self->appearance);
    git_identity_free(self->identity);
    g_strfreev(self->remote_hosts);
    g_free(self->host_keys);
    g_hash_table_unref(self->paths);
    git_clear(&self->git);
    g_strfreev(self->gpus);
    g_strfreev(self->private_paths);
    g_strfreev(self->mount_points);
    g_free(self);
}

plan_file *plan_facts_add_file(plan_facts *self, const char *path, plan_file_type type,
                               const char *real)
{
    plan_file *added = g_new0(plan_file, 1);

    added->path = g_strdup(path);
    added->type = type;
    added->real = g_strdup(real);
    added->hard_links = 1;
    g_hash_table_replace(self->paths, added->path, added);
    return added;
}

const plan_file *plan_facts_file(const plan_facts *self, const char *path)
{
    static const plan_file missing = {.type = PLAN_TYPE_MISSING};
    const plan_file *found = g_hash_table_lookup(self->paths, path);

    return found ? found : &missing;
}

void plan_facts_add_etc(plan_facts *self, const char *name, plan_etc_method method,
                        const char *target)
{
    plan_etc *etc = g_new0(plan_etc, 1);

    etc->name = g_strdup(name);
    etc->method = method;
    etc->target = g_strdup(target);
    g_ptr_array_add(self->etc, etc);
}

void plan_facts_add_root_folder(plan_facts *self, const char *name, const char *target)
{
    plan_root_folder *folder = g_new0(plan_root_folder, 1);

    folder->name = g_strdup(name);
    folder->target = g_strdup(target);
    g_ptr_array_add(self->root_folders, folder);
}

void plan_facts_add_theme_folder(plan_facts *self, const char *source, const char *name,
                                 gboolean linked)
{
    plan_theme_folder *folder = g_new0(plan_theme_folder, 1);

    folder->source = g_strdup(source);
    folder->name = g_strdup(name);
    folder->linked = linked;
    g_ptr_array_add(self->theme_folders, folder);
}

plan_toolchain *plan_facts_add_toolchain(plan_facts *self, const char *folder, const char *bin)
{
    plan_toolchain *toolchain = g_new0(plan_toolchain, 1);

    toolchain->folder = g_strdup(folder);
    toolchain->real = g_strdup(folder);
    toolchain->bin = g_strdup(bin);
    g_ptr_array_add(self->toolchains, toolchain);
    return toolchain;
}

gboolean plan_overlaps(const char *path, const char *other)
{
    return fs_is_below(path, other) || fs_is_below(other, path);
}

/* START and PATH's parts, joined with one "/" each; NULL when a part is "..", or without parts. */
static char *join_parts(const char *path, const char *start)
{
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);
    g_autoptr(GString) clean = g_string_new(NULL);

    for (char **part = parts; *part; part++) {
        if (strcmp(*part, "..") == 0)
            return NULL;
        if (**part == '\0' || strcmp(*part, ".") == 0)
            continue;
        g_string_append(clean, clean->len ? "/" : start);
        g_string_append(clean, *part);
    }
    return clean->len ? g_string_free(g_steal_pointer(&clean), FALSE) : NULL;
}

char *plan_clean_path(const char *path)
{
    if (!path || path[0] != '/')
        return NULL;
    if (strspn(path, "/.") == strlen(path) && !strstr(path, ".."))
        return g_strdup("/");
    return join_parts(path, "/");
}

char *plan_clean_relative(const char *path)
{
    if (!path || path[0] == '/')
        return NULL;
    return join_parts(path, "");
}

char *plan_expand(const plan_facts *facts, const char *path)
{
    if (strcmp(path, "~") == 0)
        return g_strdup(facts->home);
    if (g_str_has_prefix(path, "~/")) {
        g_autofree char *full = g_strconcat(facts->home, path + 1, NULL);
        return plan_clean_path(full);
    }
    return plan_clean_path(path);
}
