/*
 * The project's git folder.
 *
 * The host's git runs programs that a repository's config and hooks name. So in the box these are
 * protected, and with them the other files that lead git to a config or hooks
 * (gitrepository-layout(5)):
 *  - commondir, which names the folder with both of them; a main repository has none;
 *  - config.worktree, where extensions.worktreeConfig is on;
 *  - the same files of submodules, which `git status` on the host enters, and of other worktrees.
 * When .git is a file that names a folder outside the project, that folder is mounted as well.
 */
#include "plan/request.h"

#include <string.h>

#include "common/fs.h"
#include "common/text.h"

/* What protect() needs to know about the git folder. */
typedef struct {
    plan_request *request;
    const char *folder; /* mounted at its own path: the project, or the git folder */
    const char *prefix; /* path of the git folder below it: ".git", or "" */
} git_protection;

static gboolean protect(const git_protection *self, const char *in, const char *name,
                        GError **error)
{
    g_autofree char *path = g_build_filename("/", self->prefix, in, name, NULL);

    return plan_request_protect(self->request, self->folder, path + 1, error);
}

static gboolean exists(const git_protection *self, const char *in, const char *name)
{
    g_autofree char *path = g_build_filename(self->folder, self->prefix, in, name, NULL);

    return plan_facts_file(self->request->facts, path)->type != PLAN_TYPE_MISSING;
}

/* The repository in IN, which is "" or "modules/NAME". */
static gboolean protect_repository(const git_protection *self, const char *in, GError **error)
{
    return protect(self, in, "config", error) && protect(self, in, "hooks", error) &&
           protect(self, in, "commondir", error) && protect(self, in, "config.worktree", error);
}

/* The folder of this worktree or another. Git must be able to write in it (a gc in any worktree
 * visits all), but not the files that lead to other folders. */
static gboolean protect_worktree(const git_protection *self, const char *in, GError **error)
{
    /* Remains of a worktree, in which git does not work: protect all of it. */
    if (!exists(self, in, "commondir") || !exists(self, in, "gitdir"))
        return protect(self, in, NULL, error);
    return protect(self, in, "commondir", error) && protect(self, in, "gitdir", error) &&
           protect(self, in, "config.worktree", error);
}

static gboolean protect_all(const git_protection *self, GError **error)
{
    const plan_git *git = &self->request->facts->git;

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

/* Hooks and programs in the project that the user's configuration or the repository's names. */
static gboolean protect_named(plan_request *self, GError **error)
{
    const char *project = self->box->project;

    for (char **named = self->facts->git.named; named && *named; named++) {
        g_autofree char *path = g_build_filename(project, *named, NULL);
        if (plan_facts_file(self->facts, path)->type == PLAN_TYPE_LINK) {
            g_autofree char *safe = text_safe(*named, -1);
            plan_request_warn(self,
                              "git's configuration names '%s', which goes through a symbolic link: "
                              "the box can change what git runs",
                              safe);
        } else if (!plan_request_protect(self, project, *named, error)) {
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean add_outside(plan_request *self, GError **error)
{
    const plan_git *git = &self->facts->git;
    static const char what[] = "the project's git folder";
    g_autoptr(GError) refusal = NULL;
    git_protection protection = {.request = self, .folder = git->folder, .prefix = ""};

    if (!plan_request_check_source(self, git->folder, what, &refusal)) {
        plan_request_warn(self, "git does not work in this box: %s", refusal->message);
        return TRUE;
    }
    if (plan_request_project_mode(self) == MODE_OVERLAY)
        return plan_request_add_overlay(self, git->folder, git->folder, what, error);
    if (self->box->is_branch)
        return plan_request_add_layer(self, PLAN_LAYER_GIT, git->folder, git->folder, what, error);
    gboolean writable = plan_request_project_mode(self) == MODE_RW;
    if (!plan_request_add_bind(self, git->folder, git->folder, writable, what, error))
        return FALSE;
    return !writable || (plan_request_add_git_folder(self, git->folder, error) &&
                         protect_all(&protection, error));
}

static gboolean is_protected(const plan_request *self, const char *path)
{
    g_autofree char *full = g_build_filename(self->box->project, path, NULL);

    return plan_request_is_protected(self, full);
}

gboolean plan_request_add_git(plan_request *self, GError **error)
{
    const plan_git *git = &self->facts->git;
    const char *project = self->box->project;

    if (git->distrusted) {
        g_autofree char *safe = text_safe(git->distrusted, -1);
        plan_request_warn(self, "git does not work in this box: %s", safe);
    }
    if (!git->folder || self->box->only)
        return TRUE;
    if (git->is_cut)
        return plan_refuse(
            "protect.paths", git->folder,
            "has more submodules or worktrees, or its configuration names more files of the "
            "project, than can be protected; or git cannot read it within 5 seconds",
            error);
    if (plan_request_project_mode(self) == MODE_RW && self->wanted->protect.repositories &&
        !protect_named(self, error))
        return FALSE;
    if (git->outside)
        return add_outside(self, error);
    /* A user who removes .git/config from protect.paths turns all of this off. In other modes the
     * box cannot write the repository. */
    if (plan_request_project_mode(self) != MODE_RW || !is_protected(self, ".git/config"))
        return TRUE;
    const char *prefix = git->folder + strlen(project) + 1;
    return protect_all(&(git_protection){.request = self, .folder = project, .prefix = prefix},
                       error);
}

/* The box sees what the host has at PATH. */
static gboolean is_shown(const plan_request *self, const char *path)
{
    const json_t *mount;
    gsize i;

    json_array_foreach (self->mounts, i, mount) {
        const char *source = json_string_value(json_object_get(mount, "source"));
        const char *target = json_string_value(json_object_get(mount, "destination"));
        if (g_strcmp0(source, target) == 0 && fs_is_below(path, target))
            return TRUE;
    }
    return FALSE;
}

/* Git's own errors do not say why. One warning for all folders: the project lists them, and must
 * not fill the terminal. Never FALSE. */
gboolean plan_request_note_borrowed(plan_request *self, GError **error)
{
    char **borrowed = self->box->only ? NULL : self->facts->git.borrowed;
    const char *first = NULL;
    guint more = 0;

    (void)error;
    for (; borrowed && *borrowed; borrowed++) {
        if (is_shown(self, *borrowed))
            continue;
        more += first != NULL;
        first = first ? first : *borrowed;
    }
    if (!first)
        return TRUE;
    g_autofree char *safe = text_safe(first, -1);
    g_autofree char *others = more ? g_strdup_printf(" and %u other folders", more) : g_strdup("");
    plan_request_warn(self,
                      "git lacks objects in this box: the repository borrows them from '%s'%s, "
                      "which the box does not see; 'git repack -a -d', and then removing "
                      ".git/objects/info/alternates, makes it whole, or a [[mount]] shows them",
                      safe, others);
    return TRUE;
}

/* ssh reads it after the box's own /etc/ssh/ssh_known_hosts and ~/.ssh/known_hosts. */
static gboolean add_host_keys(plan_request *self, GError **error)
{
    g_autofree char *file = plan_data_path(self->box, PLAN_DATA_KNOWN_HOSTS);

    return !self->wanted->git.host_keys ||
           plan_request_add_bind(self, file, PLAN_KNOWN_HOSTS, FALSE, "git.host_keys", error);
}

/* As a folder, so that a file that replaces another is seen (prepare.c writes it at each start). */
gboolean plan_request_add_identity(plan_request *self, GError **error)
{
    const git_identity *identity = self->facts->identity;
    g_autofree char *folder = plan_data_path(self->box, PLAN_DATA_GIT);

    if (!add_host_keys(self, error))
        return FALSE;
    if (!self->wanted->git.identity)
        return TRUE;
    if (identity && identity->problem) {
        g_autofree char *safe = text_safe(identity->problem, -1);
        plan_request_warn(self, "git.identity: %s; the box lacks what follows there", safe);
    }
    return plan_request_add_bind(self, folder, PLAN_GIT, FALSE, "git.identity", error);
}
