/*
 * The project's git folder.
 *
 * The host's git runs what a repository's config and hooks say. Besides those two a box could write
 *  - commondir, a file that sends git elsewhere for both of them, missing in a main repository;
 *  - config.worktree, where the extension is on;
 *  - the same files of submodules, which `git status` on the host enters, and of other worktrees.
 * When .git is a file and its folder lies outside the project, that folder is mounted as well.
 */
#include "plan/draft.h"

#include <string.h>

#include "common/text.h"

/* Every path in the git folder is protected relative to a folder that is mounted at its own path.
 */
typedef struct {
    plan_draft *draft;
    const char *folder; /* the project, or the git folder */
    const char *prefix; /* ".git", or "" */
} git_guard;

static gboolean protect(const git_guard *self, const char *in, const char *name, GError **error)
{
    g_autofree char *path = g_build_filename("/", self->prefix, in, name, NULL);

    return plan_protect(self->draft, self->folder, path + 1, error);
}

static gboolean exists(const git_guard *self, const char *in, const char *name)
{
    g_autofree char *path = g_build_filename(self->folder, self->prefix, in, name, NULL);

    return plan_facts_path(self->draft->facts, path)->kind != PLAN_MISSING;
}

/* What git runs of one repository: IN is "" or "modules/NAME". */
static gboolean protect_repository(const git_guard *self, const char *in, GError **error)
{
    return protect(self, in, "config", error) && protect(self, in, "hooks", error) &&
           protect(self, in, "commondir", error) && protect(self, in, "config.worktree", error);
}

/*
 * A worktree's folder, this project's own or another's: git works in it (a gc in any of them goes
 * through all), but not on where it leads.
 */
static gboolean protect_worktree(const git_guard *self, const char *in, GError **error)
{
    /* The rest of one: nothing to work in. */
    if (!exists(self, in, "commondir") || !exists(self, in, "gitdir"))
        return protect(self, in, NULL, error);
    return protect(self, in, "commondir", error) && protect(self, in, "gitdir", error) &&
           protect(self, in, "config.worktree", error);
}

static gboolean protect_all(const git_guard *self, GError **error)
{
    const plan_git *git = &self->draft->facts->git;

    if (!protect_repository(self, "", error))
        return FALSE;
    for (char **module = git->modules; module && *module; module++)
        if (!protect_repository(self, *module, error))
            return FALSE;
    for (char **worktree = git->worktrees; worktree && *worktree; worktree++)
        if (!protect_worktree(self, *worktree, error))
            return FALSE;
    return TRUE;
}

static gboolean add_outside(plan_draft *self, GError **error)
{
    const plan_git *git = &self->facts->git;
    static const char what[] = "the project's git folder";
    g_autoptr(GError) refusal = NULL;
    git_guard guard = {.draft = self, .folder = git->folder, .prefix = ""};

    if (!plan_check_source(self, git->folder, what, &refusal)) {
        plan_warn(self, "git does not work in this box: %s", refusal->message);
        return TRUE;
    }
    if (self->wanted->project.mode == MODE_OVERLAY)
        return plan_mount_overlay(self, git->folder, git->folder, what, error);
    if (!plan_mount_bind(self, git->folder, git->folder, self->wanted->project.mode == MODE_RW,
                         what, error))
        return FALSE;
    return self->wanted->project.mode == MODE_RO || protect_all(&guard, error);
}

static gboolean is_protected(const plan_draft *self, const char *path)
{
    g_autofree char *full = g_build_filename(self->box->project, path, NULL);

    return plan_is_guarded(self, full);
}

gboolean plan_add_git(plan_draft *self, GError **error)
{
    const plan_git *git = &self->facts->git;
    const char *project = self->box->project;

    if (git->distrusted) {
        g_autofree char *safe = text_safe(git->distrusted, -1);
        plan_warn(self, "git does not work in this box: %s", safe);
    }
    if (!git->folder || self->box->only)
        return TRUE;
    if (git->outside)
        return add_outside(self, error);
    /* Who takes .git/config out of the list means it; in other modes it is not writable. */
    if (self->wanted->project.mode != MODE_RW || !is_protected(self, ".git/config"))
        return TRUE;
    const char *prefix = git->folder + strlen(project) + 1;
    return protect_all(&(git_guard){.draft = self, .folder = project, .prefix = prefix}, error);
}
