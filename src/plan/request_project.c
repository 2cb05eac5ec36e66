/*
 * The project at its own path: rw, ro, overlay, or only some of its files; with hidden, writable
 * and protected parts.
 *
 * A protected path is read-only in a writable folder. The box cannot write, remove or rename a
 * mount point, but it could rename the folders above it and put others in their place. So each
 * folder on the way is pinned: mounted on itself. A mount cannot protect a path that does not exist
 * yet, and goes away when the host replaces the file below it. So the name of each protected path
 * is reserved as well: box-init's guard lets no program of the box create or write it, and those
 * of hidden paths nor read them (guest/guard/guard.h). A symbolic link cannot be protected, because
 * the box could replace it, so it is an error.
 */
#include "plan/request.h"

#include <string.h>

#include "common/fs.h"
#include "common/text.h"
#include "config/named_files.h"

/* Protected in every box, because it decides what the box may do; and so does what it names. */
static char *always_protected[] = {"litterbox.toml", NULL};

/* RELATIVE below the project as a clean absolute path, or NULL with ERROR. */
static char *inside(const plan_request *self, const char *key, const char *relative, GError **error)
{
    g_autofree char *clean = plan_clean_relative(relative);

    if (!clean) {
        plan_refuse(key, relative, "is not a path below the project", error);
        return NULL;
    }
    return g_build_filename(self->box->project, clean, NULL);
}

static gboolean check_type(const plan_request *self, const char *key, const char *path,
                           GError **error)
{
    plan_file_type type = plan_facts_file(self->facts, path)->type;

    if (type == PLAN_TYPE_LINK)
        return plan_refuse(key, path, "goes through a symbolic link; name what it points to",
                           error);
    if (type == PLAN_TYPE_OTHER)
        return plan_refuse(key, path, "is neither a file nor a folder", error);
    return TRUE;
}

static gboolean add_hidden_path(plan_request *self, const char *relative, GError **error)
{
    static const char key[] = "project.hidden";
    g_autofree char *path = inside(self, key, relative, error);

    if (!path || !check_type(self, key, path, error))
        return FALSE;
    plan_file_type type = plan_facts_file(self->facts, path)->type;
    if (!self->wanted->protect.guard)
        return plan_refuse(key, path, "cannot be hidden without the guard (protect.guard)", error);
    if (plan_request_is_protected(self, path))
        return TRUE;
    if (!plan_request_hide(self, path, error))
        return FALSE;
    if (type == PLAN_TYPE_MISSING)
        return TRUE;
    g_autofree char *empty = plan_data_path(
        self->box, type == PLAN_TYPE_FILE ? PLAN_DATA_HIDDEN_FILE : PLAN_DATA_HIDDEN_FOLDER);
    return plan_request_add_bind(self, empty, path, FALSE, "a hidden path", error);
}

static gboolean add_hidden(plan_request *self, GError **error)
{
    for (char **path = self->wanted->project.hidden; path && *path; path++)
        if (!add_hidden_path(self, *path, error))
            return FALSE;
    return TRUE;
}

/* A writable part of a read-only project. */
static gboolean add_writable_part(plan_request *self, const char *relative, GError **error)
{
    static const char key[] = "project.writable";
    g_autofree char *path = inside(self, key, relative, error);

    if (!path || !check_type(self, key, path, error))
        return FALSE;
    if (plan_facts_file(self->facts, path)->type == PLAN_TYPE_MISSING)
        return plan_refuse(key, path, "does not exist; create it first", error);
    return plan_request_add_bind(self, path, path, TRUE, "a writable part of the project", error);
}

enum mount_mode plan_request_project_mode(const plan_request *self)
{
    return self->box->is_branch ? MODE_RO : self->wanted->project.mode;
}

static gboolean is_writable(const plan_request *self, const char *path)
{
    if (plan_request_project_mode(self) == MODE_RW)
        return TRUE;
    for (char **part = self->wanted->project.writable; part && *part; part++) {
        g_autofree char *writable = inside(self, "", *part, NULL);
        if (writable && fs_is_below(path, writable))
            return TRUE;
    }
    return FALSE;
}

/* Protects all of .git where the project has none: the box must not create a repository with hooks
 * that the host would run. */
static const char *widen_to_git_folder(const plan_request *self, const char *relative)
{
    g_autofree char *git = g_build_filename(self->box->project, ".git", NULL);
    g_autofree char *clean = plan_clean_relative(relative);

    if (clean && g_str_has_prefix(clean, ".git/") &&
        plan_facts_file(self->facts, git)->type == PLAN_TYPE_MISSING)
        return ".git";
    return relative;
}

static gboolean protect_list(plan_request *self, char **paths, GError **error)
{
    for (char **relative = paths; relative && *relative; relative++) {
        g_autofree char *path = inside(self, "protect.paths", *relative, error);
        if (!path)
            return FALSE;
        if (is_writable(self, path) &&
            !plan_request_protect(self, self->box->project, widen_to_git_folder(self, *relative),
                                  error))
            return FALSE;
    }
    return TRUE;
}

static gboolean add_protected(plan_request *self, GError **error)
{
    /* Writes to an overlay do not reach the host. */
    if (plan_request_project_mode(self) == MODE_OVERLAY)
        return TRUE;
    char *named[NAMED_FILES];
    named_files(self->wanted, named);
    return protect_list(self, always_protected, error) && protect_list(self, named, error) &&
           protect_list(self, self->wanted->protect.paths, error) &&
           protect_list(self, self->wanted->protect.extra, error);
}

static gboolean add_whole(plan_request *self, GError **error)
{
    const char *project = self->box->project;
    static const char what[] = "the project";

    if (self->box->is_branch)
        return plan_request_add_layer(self, PLAN_LAYER_PROJECT, project, project, what, error);
    if (plan_request_project_mode(self) == MODE_OVERLAY)
        return plan_request_add_overlay(self, project, project, what, error);
    if (!plan_request_add_bind(self, project, project, plan_request_project_mode(self) == MODE_RW,
                               what, error))
        return FALSE;
    char **parts = self->wanted->project.writable;
    if ((plan_request_project_mode(self) == MODE_RW || (parts && *parts)) &&
        !plan_request_add_git_folder(self, project, error))
        return FALSE;
    if (plan_request_project_mode(self) == MODE_RO)
        for (char **part = parts; part && *part; part++)
            if (!add_writable_part(self, *part, error))
                return FALSE;
    return TRUE;
}

/* TRUE when the list names PATH (absolute), a folder above it, or a path below it. */
static gboolean overlaps_list(const plan_request *self, char **list, const char *path)
{
    for (char **relative = list; relative && *relative; relative++) {
        g_autofree char *listed = inside(self, "", *relative, NULL);
        if (listed && plan_overlaps(path, listed))
            return TRUE;
    }
    return FALSE;
}

/* TRUE for ".git", and what lies in one. */
static gboolean is_in_git_folder(const plan_request *self, const char *path)
{
    g_auto(GStrv) parts = g_strsplit(path + strlen(self->box->project), "/", -1);
    gboolean found = FALSE;

    for (char **part = parts; *part; part++)
        found |= g_ascii_strcasecmp(*part, ".git") == 0;
    return found;
}

/* TRUE when some of PATH is protected: here all of it is then, as no mounts are made in it. */
static gboolean is_kept_whole(const plan_request *self, const char *path)
{
    const settings *wanted = self->wanted;
    char *named[NAMED_FILES];

    named_files(wanted, named);
    return overlaps_list(self, always_protected, path) || overlaps_list(self, named, path) ||
           overlaps_list(self, wanted->protect.paths, path) ||
           overlaps_list(self, wanted->protect.extra, path) ||
           (wanted->protect.repositories &&
            (is_in_git_folder(self, path) || overlaps_list(self, self->facts->git.named, path)));
}

static gboolean add_shown_path(plan_request *self, const char *relative, GError **error)
{
    static const char key[] = "--file";
    const settings *wanted = self->wanted;
    g_autofree char *path = inside(self, key, relative, error);

    if (!path || !check_type(self, key, path, error))
        return FALSE;
    if (plan_facts_file(self->facts, path)->type == PLAN_TYPE_MISSING)
        return plan_refuse(key, path, "does not exist", error);
    if (overlaps_list(self, wanted->project.hidden, path))
        return plan_refuse(key, path, "contains, or is below, a path of project.hidden", error);
    gboolean writable = wanted->project.mode == MODE_RW && !is_kept_whole(self, path);
    gboolean is_folder = plan_facts_file(self->facts, path)->type == PLAN_TYPE_FOLDER;
    return (!writable || !is_folder || plan_request_add_git_folder(self, path, error)) &&
           plan_request_add_bind(self, path, path, writable, "a file of the project", error);
}

/* An empty folder at the project's path with only these files in it. */
static gboolean add_only(plan_request *self, GError **error)
{
    g_autofree char *size = plan_request_memory_share(self, PLAN_PROJECT_PERCENT);
    if (!plan_request_add_tmpfs(self, self->box->project, "1777", size, "the project", error))
        return FALSE;
    for (const char *const *path = self->box->only; *path; path++)
        if (!add_shown_path(self, *path, error))
            return FALSE;
    return TRUE;
}

gboolean plan_request_add_project(plan_request *self, GError **error)
{
    if (self->box->only)
        return add_only(self, error);
    /* Of a branch the layer's mask hides names, and nothing that it writes reaches the host. */
    if (self->box->is_branch)
        return add_whole(self, error);
    return add_whole(self, error) && add_hidden(self, error) && add_protected(self, error);
}

static const char protected_path[] = "a protected path";
static const char protect_key[] = "protect.paths";
/* The limit of box-init (RESERVED_NAMES_MAX). */
#define RESERVED_MAX 1024
#define GIT_FOLDERS_MAX 64 /* likewise */

gboolean plan_request_add_git_folder(plan_request *self, const char *path, GError **error)
{
    if (!self->wanted->protect.repositories)
        return TRUE;
    g_ptr_array_add(self->git_folders, g_strdup(path));
    return self->git_folders->len <= GIT_FOLDERS_MAX ||
           plan_refuse("protect.repositories", path,
                       "exceeds the number of writable folders that the guard can watch", error);
}

gboolean plan_request_is_protected(const plan_request *self, const char *path)
{
    g_autofree char *at = g_strdup(path);

    for (;;) {
        if (g_hash_table_contains(self->protected, at))
            return TRUE;
        char *slash = strrchr(at, '/');
        if (!slash || slash == at)
            return FALSE;
        *slash = '\0';
    }
}

/* Mounts a folder on the way on itself, so that the box cannot rename it. */
static gboolean pin_folder(plan_request *self, const char *path, GError **error)
{
    return g_hash_table_contains(self->targets, path) ||
           plan_request_add_bind(self, path, path, TRUE, protected_path, error);
}

static gboolean add_path(plan_request *self, GPtrArray *list, const char *path, GError **error)
{
    g_hash_table_add(self->protected, g_strdup(path));
    g_ptr_array_add(list, g_strdup(path));
    return self->reserved->len + self->hidden->len <= RESERVED_MAX ||
           plan_refuse(protect_key, path,
                       "exceeds the number of protected paths that a box can have", error);
}

static gboolean reserve_name(plan_request *self, const char *path, GError **error)
{
    return add_path(self, self->reserved, path, error);
}

gboolean plan_request_hide(plan_request *self, const char *path, GError **error)
{
    return add_path(self, self->hidden, path, error);
}

static gboolean protect_existing(plan_request *self, const char *path, GError **error)
{
    const plan_file *found = plan_facts_file(self->facts, path);

    if (found->type == PLAN_TYPE_FILE && found->hard_links > 1) {
        g_autofree char *safe = text_safe(path, -1);
        plan_request_warn(
            self,
            "'%s' is read-only in the box, but the file has another name (a hard link), and the "
            "box may be able to write it there",
            safe);
    }
    return reserve_name(self, path, error) &&
           plan_request_add_bind(self, path, path, FALSE, protected_path, error);
}

static const char link_refusal[] =
    "is or goes through a symbolic link, which a box could replace by a file that the host then "
    "runs; make it a real file or folder, or remove it from protect.paths";

static gboolean protect_path(plan_request *self, const char *path, GError **error)
{
    switch (plan_facts_file(self->facts, path)->type) {
    case PLAN_TYPE_FILE:
    case PLAN_TYPE_FOLDER:
        return protect_existing(self, path, error);
    case PLAN_TYPE_MISSING:
        return reserve_name(self, path, error);
    case PLAN_TYPE_LINK:
        return plan_refuse(protect_key, path, link_refusal, error);
    case PLAN_TYPE_CHARACTER:
    case PLAN_TYPE_BLOCK:
    case PLAN_TYPE_OTHER:
        break;
    }
    return plan_refuse(protect_key, path, "is neither a file nor a folder", error);
}

/*
 * Handles one part on the way, not the last. *DONE: PATH is no folder, so nothing can be below it,
 * and PATH itself has been protected instead (.git of a worktree is a file). A missing folder may
 * be created, as .config holds more than the protected names; the guard refuses those in it.
 */
static gboolean protect_parent(plan_request *self, const char *path, gboolean *done, GError **error)
{
    plan_file_type type = plan_facts_file(self->facts, path)->type;

    *done = type != PLAN_TYPE_FOLDER && type != PLAN_TYPE_MISSING;
    if (*done)
        return protect_path(self, path, error);
    return type == PLAN_TYPE_MISSING || pin_folder(self, path, error);
}

/*
 * TRUE for a configuration of a git folder that the guard keeps, as it does in all git folders
 * (guest/guard/git_config.h): with a mount on it `git push -u` and `git remote add` in the box
 * could not write it. Where a box may make mounts the mount stays, as only mounts hold against
 * these.
 */
static gboolean is_kept_by_guard(const plan_request *self, const char *path)
{
    const settings *wanted = self->wanted;
    const char *name = strrchr(path, '/') + 1;

    return wanted->protect.guard && wanted->protect.repositories && !wanted->security.nested &&
           plan_request_project_mode(self) == MODE_RW && strstr(path, "/.git/") &&
           (strcmp(name, "config") == 0 || strcmp(name, "config.worktree") == 0);
}

gboolean plan_request_protect(plan_request *self, const char *folder, const char *path,
                              GError **error)
{
    g_autofree char *relative = plan_clean_relative(path);
    gboolean done = FALSE;

    if (!relative)
        return plan_refuse(protect_key, path, "is not a path below the project", error);
    for (char *slash = relative; !done && (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        g_autofree char *way = g_build_filename(folder, relative, NULL);
        if (plan_request_is_protected(self, way))
            return TRUE;
        if (!protect_parent(self, way, &done, error))
            return FALSE;
        *slash = '/';
    }
    g_autofree char *at = g_build_filename(folder, relative, NULL);
    if (done || plan_request_is_protected(self, at))
        return TRUE;
    if (is_kept_by_guard(self, at) && plan_facts_file(self->facts, at)->type != PLAN_TYPE_LINK) {
        g_hash_table_add(self->protected, g_steal_pointer(&at));
        return TRUE;
    }
    return protect_path(self, at, error);
}
