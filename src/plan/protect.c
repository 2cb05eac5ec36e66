/*
 * Read-only islands in a writable folder (invariant 7).
 *
 * A mount point can be neither written, removed nor renamed by the box. But its parents could be
 * renamed, and something else put in their place: so each folder on the way becomes a mount point
 * too, bound onto itself. What does not exist has nothing that a mount could stand on, and a mount
 * goes away when the host puts a new file in the place of the old: so the name of every protected
 * path is reserved as well, and box-init lets nothing make or write it (guard/guard.h). What is a
 * symlink cannot be protected, since it could be replaced: an error.
 */
#include "plan/draft.h"

#include <string.h>

#include "common/text.h"

static const char what[] = "a protected path";
static const char key[] = "protect.paths";
/* As many as box-init takes (GUARD_NAMES_MAX). */
#define RESERVED_MAX 1024

gboolean plan_is_guarded(const plan_draft *self, const char *path)
{
    g_autofree char *at = g_strdup(path);

    for (;;) {
        if (g_hash_table_contains(self->guarded, at))
            return TRUE;
        char *slash = strrchr(at, '/');
        if (!slash || slash == at)
            return FALSE;
        *slash = '\0';
    }
}

/* Pins a folder on the way in its place. */
static gboolean pin(plan_draft *self, const char *path, GError **error)
{
    return g_hash_table_contains(self->targets, path) ||
           plan_mount_bind(self, path, path, TRUE, what, error);
}

static gboolean reserve(plan_draft *self, const char *path, GError **error)
{
    g_hash_table_add(self->guarded, g_strdup(path));
    g_ptr_array_add(self->reserved, g_strdup(path));
    return self->reserved->len <= RESERVED_MAX || plan_refuse(key, path, "is one too many", error);
}

static gboolean guard(plan_draft *self, const char *source, const char *path, GError **error)
{
    return reserve(self, path, error) && plan_mount_bind(self, source, path, FALSE, what, error);
}

static gboolean guard_existing(plan_draft *self, const char *path, GError **error)
{
    const plan_path *found = plan_facts_path(self->facts, path);

    if (found->kind == PLAN_FILE && found->hard_links > 1) {
        g_autofree char *safe = text_safe(path, -1);
        plan_warn(self,
                  "'%s' is read-only in the box, but it is the same file under another name too "
                  "(a hard link), and that one may be writable",
                  safe);
    }
    return guard(self, path, path, error);
}

static const char link_refusal[] =
    "is or goes through a symbolic link, which a box could replace by something that the host then "
    "runs; make it a real file or folder, or leave it out of [protect] paths";

static gboolean finish(plan_draft *self, const char *path, GError **error)
{
    switch (plan_facts_path(self->facts, path)->kind) {
    case PLAN_FILE:
    case PLAN_FOLDER:
        return guard_existing(self, path, error);
    case PLAN_MISSING:
        return reserve(self, path, error);
    case PLAN_LINK:
        return plan_refuse(key, path, link_refusal, error);
    case PLAN_CHARACTER:
    case PLAN_BLOCK:
    case PLAN_OTHER:
        break;
    }
    return plan_refuse(key, path, "is neither a file nor a folder", error);
}

/* One part on the way, not the last. *DONE: what lies below needs no mount of its own, as nothing
 * is there, or a file (.git of a worktree), which is what counts then. */
static gboolean pass(plan_draft *self, const char *path, gboolean *done, GError **error)
{
    *done = plan_facts_path(self->facts, path)->kind != PLAN_FOLDER;
    return *done ? finish(self, path, error) : pin(self, path, error);
}

gboolean plan_protect(plan_draft *self, const char *folder, const char *path, GError **error)
{
    g_autofree char *relative = plan_clean_relative(path);
    gboolean done = FALSE;

    if (!relative)
        return plan_refuse(key, path, "is no path below the project", error);
    for (char *slash = relative; !done && (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        g_autofree char *way = g_build_filename(folder, relative, NULL);
        if (plan_is_guarded(self, way))
            return TRUE;
        if (!pass(self, way, &done, error))
            return FALSE;
        *slash = '/';
    }
    g_autofree char *at = g_build_filename(folder, relative, NULL);
    if (done || plan_is_guarded(self, at))
        return TRUE;
    return finish(self, at, error);
}
