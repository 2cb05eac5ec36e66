/* Facts as data: made, filled in, looked up, freed. Looking at the machine is in look.c and others.
 */
#include "plan/facts.h"

static void path_free(gpointer data)
{
    plan_path *path = data;

    g_free(path->path);
    g_free(path->real);
    g_strfreev(path->via);
    g_free(path);
}

static void etc_free(gpointer data)
{
    plan_etc *etc = data;

    g_free(etc->name);
    g_free(etc->target);
    g_free(etc);
}

static void top_free(gpointer data)
{
    plan_top *top = data;

    g_free(top->name);
    g_free(top->target);
    g_free(top);
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

static void look_free(gpointer data)
{
    plan_look *look = data;

    g_free(look->source);
    g_free(look->name);
    g_free(look);
}

plan_facts *plan_facts_new(void)
{
    plan_facts *self = g_new0(plan_facts, 1);

    self->tops = g_ptr_array_new_with_free_func(top_free);
    self->etc = g_ptr_array_new_with_free_func(etc_free);
    self->toolchains = g_ptr_array_new_with_free_func(toolchain_free);
    self->looks = g_ptr_array_new_with_free_func(look_free);
    self->paths = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, path_free);
    return self;
}

static void git_clear(plan_git *self)
{
    g_free(self->folder);
    g_strfreev(self->modules);
    g_strfreev(self->worktrees);
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
    g_free(self->system);
    g_ptr_array_unref(self->tops);
    g_ptr_array_unref(self->etc);
    g_ptr_array_unref(self->toolchains);
    g_ptr_array_unref(self->looks);
    appearance_free(self->look);
    g_hash_table_unref(self->paths);
    git_clear(&self->git);
    g_strfreev(self->gpus);
    g_strfreev(self->private_paths);
    g_strfreev(self->mount_points);
    g_free(self);
}

plan_path *plan_facts_add(plan_facts *self, const char *path, plan_kind kind, const char *real)
{
    plan_path *added = g_new0(plan_path, 1);

    added->path = g_strdup(path);
    added->kind = kind;
    added->real = g_strdup(real);
    added->hard_links = 1;
    g_hash_table_replace(self->paths, added->path, added);
    return added;
}

const plan_path *plan_facts_path(const plan_facts *self, const char *path)
{
    static const plan_path missing = {.kind = PLAN_MISSING};
    const plan_path *found = g_hash_table_lookup(self->paths, path);

    return found ? found : &missing;
}

void plan_facts_add_etc(plan_facts *self, const char *name, plan_etc_how how, const char *target)
{
    plan_etc *etc = g_new0(plan_etc, 1);

    etc->name = g_strdup(name);
    etc->how = how;
    etc->target = g_strdup(target);
    g_ptr_array_add(self->etc, etc);
}

void plan_facts_add_top(plan_facts *self, const char *name, const char *target)
{
    plan_top *top = g_new0(plan_top, 1);

    top->name = g_strdup(name);
    top->target = g_strdup(target);
    g_ptr_array_add(self->tops, top);
}

void plan_facts_add_look(plan_facts *self, const char *source, const char *name, gboolean linked)
{
    plan_look *look = g_new0(plan_look, 1);

    look->source = g_strdup(source);
    look->name = g_strdup(name);
    look->linked = linked;
    g_ptr_array_add(self->looks, look);
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
