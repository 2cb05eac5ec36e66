/* The project at its own path: rw, ro or overlay; parts writable, hidden, protected; or some files.
 */
#include "plan/draft.h"

#include <string.h>

/* Whatever [protect] says: it decides what the box may do. */
static char *always[] = {"litterbox.toml", NULL};

/* RELATIVE below the project as a clean absolute path, or NULL with ERROR. */
static char *inside(const plan_draft *self, const char *key, const char *relative, GError **error)
{
    g_autofree char *clean = plan_clean_relative(relative);

    if (!clean) {
        plan_refuse(key, relative, "is no path below the project", error);
        return NULL;
    }
    return g_build_filename(self->box->project, clean, NULL);
}

static gboolean check_kind(const plan_draft *self, const char *key, const char *path,
                           GError **error)
{
    plan_kind kind = plan_facts_path(self->facts, path)->kind;

    if (kind == PLAN_LINK)
        return plan_refuse(key, path, "goes through a symbolic link; name what it points to",
                           error);
    if (kind == PLAN_OTHER)
        return plan_refuse(key, path, "is neither a file nor a folder", error);
    return TRUE;
}

/* What is missing needs no hiding. */
static gboolean hide(plan_draft *self, const char *relative, GError **error)
{
    static const char key[] = "project.hidden";
    g_autofree char *path = inside(self, key, relative, error);

    if (!path || !check_kind(self, key, path, error))
        return FALSE;
    plan_kind kind = plan_facts_path(self->facts, path)->kind;
    if (kind == PLAN_MISSING || plan_is_guarded(self, path))
        return TRUE;
    g_autofree char *empty =
        plan_data(self->box, kind == PLAN_FILE ? PLAN_DATA_HIDDEN_FILE : PLAN_DATA_HIDDEN_FOLDER);
    g_hash_table_add(self->guarded, g_strdup(path));
    return plan_mount_bind(self, empty, path, FALSE, "a hidden path", error);
}

static gboolean add_hidden(plan_draft *self, GError **error)
{
    for (char **path = self->wanted->project.hidden; path && *path; path++)
        if (!hide(self, *path, error))
            return FALSE;
    return TRUE;
}

/* A part of a read-only project that stays writable; made when it is missing. */
static gboolean open_part(plan_draft *self, const char *relative, GError **error)
{
    static const char key[] = "project.writable";
    g_autofree char *path = inside(self, key, relative, error);

    if (!path || !check_kind(self, key, path, error))
        return FALSE;
    if (plan_facts_path(self->facts, path)->kind == PLAN_MISSING)
        return plan_refuse(key, path, "does not exist; make it first", error);
    return plan_mount_bind(self, path, path, TRUE, "a writable part of the project", error);
}

static gboolean is_open(const plan_draft *self, const char *path)
{
    if (self->wanted->project.mode == MODE_RW)
        return TRUE;
    for (char **part = self->wanted->project.writable; part && *part; part++) {
        g_autofree char *open = inside(self, "", *part, NULL);
        if (open && plan_is_below(path, open))
            return TRUE;
    }
    return FALSE;
}

/* Where there is no repository the box must not make one, with hooks that the host would run. */
static const char *at_least(const plan_draft *self, const char *relative)
{
    g_autofree char *git = g_build_filename(self->box->project, ".git", NULL);
    g_autofree char *clean = plan_clean_relative(relative);

    if (clean && g_str_has_prefix(clean, ".git/") &&
        plan_facts_path(self->facts, git)->kind == PLAN_MISSING)
        return ".git";
    return relative;
}

static gboolean protect_list(plan_draft *self, char **paths, GError **error)
{
    for (char **relative = paths; relative && *relative; relative++) {
        g_autofree char *path = inside(self, "protect.paths", *relative, error);
        if (!path)
            return FALSE;
        /* A read-only project has no need of it, its writable parts do. */
        if (is_open(self, path) &&
            !plan_protect(self, self->box->project, at_least(self, *relative), error))
            return FALSE;
    }
    return TRUE;
}

static gboolean add_protected(plan_draft *self, GError **error)
{
    /* Writes into an overlay never reach the host. */
    if (self->wanted->project.mode == MODE_OVERLAY)
        return TRUE;
    return protect_list(self, always, error) &&
           protect_list(self, self->wanted->protect.paths, error) &&
           protect_list(self, self->wanted->protect.extra, error);
}

static gboolean add_whole(plan_draft *self, GError **error)
{
    const char *project = self->box->project;
    static const char what[] = "the project";

    if (self->wanted->project.mode == MODE_OVERLAY)
        return plan_mount_overlay(self, project, project, what, error);
    if (!plan_mount_bind(self, project, project, self->wanted->project.mode == MODE_RW, what,
                         error))
        return FALSE;
    if (self->wanted->project.mode == MODE_RO)
        for (char **part = self->wanted->project.writable; part && *part; part++)
            if (!open_part(self, *part, error))
                return FALSE;
    return TRUE;
}

/* TRUE when the list names PATH (absolute), a folder above it, or something in it. */
static gboolean touches(const plan_draft *self, char **list, const char *path)
{
    for (char **relative = list; relative && *relative; relative++) {
        g_autofree char *listed = inside(self, "", *relative, NULL);
        if (listed && plan_overlaps(path, listed))
            return TRUE;
    }
    return FALSE;
}

static gboolean show_one(plan_draft *self, const char *relative, GError **error)
{
    static const char key[] = "--file";
    const settings *wanted = self->wanted;
    g_autofree char *path = inside(self, key, relative, error);

    if (!path || !check_kind(self, key, path, error))
        return FALSE;
    if (plan_facts_path(self->facts, path)->kind == PLAN_MISSING)
        return plan_refuse(key, path, "does not exist", error);
    if (touches(self, wanted->project.hidden, path))
        return plan_refuse(key, path, "is in or holds what project.hidden lists", error);
    gboolean writable = wanted->project.mode == MODE_RW && !touches(self, always, path) &&
                        !touches(self, wanted->protect.paths, path) &&
                        !touches(self, wanted->protect.extra, path);
    return plan_mount_bind(self, path, path, writable, "a file of the project", error);
}

/* An empty folder in the project's place with just these files in it. */
static gboolean add_only(plan_draft *self, GError **error)
{
    g_autofree char *size = plan_memory_share(self, PLAN_PROJECT_SHARE);
    if (!plan_mount_tmpfs(self, self->box->project, "1777", size, "the project", error))
        return FALSE;
    for (const char *const *path = self->box->only; *path; path++)
        if (!show_one(self, *path, error))
            return FALSE;
    return TRUE;
}

gboolean plan_add_project(plan_draft *self, GError **error)
{
    if (self->box->only)
        return add_only(self, error);
    return add_whole(self, error) && add_hidden(self, error) && add_protected(self, error);
}
