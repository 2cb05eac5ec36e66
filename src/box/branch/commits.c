#include "box/branch/commits.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "box/branch/commit_changes.h"
#include "common/text.h"
#include "console/log.h"

/* In the branch's data folder, while this works. */
#define DIRTY "commits"
#define CLEAN "git"
#define REFS_MAX (16 << 20)
#define SHOWN "20"
/* The end of a session waits no longer for their number. */
#define COUNT_SECONDS 5
#define SHOWN_BYTES_MAX (1 << 20)

typedef struct {
    const struct box *branch;
    branch_folders folders;
    private_git dirty, clean;
    char *git; /* the host's git folder */
    char *tip;
} taking;

static gboolean run(const private_git *git, const char *const *arguments, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    return private_git_run(git, arguments, -1, -1, text, REFS_MAX, NULL, error);
}

/* Adds a line "OBJECT REF" for each line of TEXT that names an object. */
static void add_refs(GString *refs, const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (guint i = 0; lines[i]; i++)
        if (git_object_is_valid(lines[i], strlen(lines[i])))
            g_string_append_printf(refs, "%s " COMMITS_HOST "/%08u\n", lines[i], i);
}

/* CLEAN gets refs of what the host has: they are not new, and need no fetch. */
static gboolean name_host_commits(const taking *self, GError **error)
{
    static const char *const all[] = {PRIVATE_GIT_QUIET, "for-each-ref", "--format=%(objectname)",
                                      NULL};
    static const char *const head[] = {PRIVATE_GIT_QUIET, "rev-parse", "--quiet",
                                       "--verify",        "HEAD",      NULL};
    private_git host = self->clean;
    int status;
    g_autoptr(GString) text = g_string_new(NULL), refs = g_string_new(NULL);
    g_autoptr(GString) of_head = g_string_new(NULL);
    host.repository = self->git;
    if (!private_git_run(&host, all, -1, -1, text, REFS_MAX, NULL, error) ||
        !private_git_run(&host, head, -1, -1, of_head, REFS_MAX, &status, error))
        return FALSE;
    add_refs(refs, text->str);
    g_strchomp(of_head->str);
    if (git_object_is_valid(of_head->str, strlen(of_head->str)))
        g_string_append_printf(refs, "%s " COMMITS_HOST_HEAD "\n", of_head->str);
    return private_git_write(&self->clean, "packed-refs", refs->str, error);
}

static gboolean name_tip(const private_git *git, const char *tip, GError **error)
{
    g_autofree char *line = g_strdup_printf("%s " COMMITS_TIP "\n", tip);
    return private_git_write(git, "packed-refs", line, error);
}

/* Fetches REFSPEC of FROM, and no other ref, into the repository that TO works on. */
static gboolean fetch(const private_git *to, const private_git *from, const char *refspec,
                      GError **error)
{
    const char *const arguments[] = {PRIVATE_GIT_QUIET,
                                     "fetch",
                                     "--quiet",
                                     "--no-tags",
                                     "--refmap=",
                                     "--no-write-fetch-head",
                                     "--no-recurse-submodules",
                                     "--no-auto-maintenance",
                                     from->folder,
                                     refspec,
                                     NULL};
    return run(to, arguments, error);
}

static gboolean bring(taking *self, GError **error)
{
    return commits_copy(&self->folders, &self->dirty, error) &&
           name_tip(&self->dirty, self->tip, error) && name_host_commits(self, error) &&
           fetch(&self->clean, &self->dirty, "+" COMMITS_TIP ":" COMMITS_TIP, error);
}

static void end(taking *self)
{
    if (self->dirty.folder)
        private_git_close(&self->dirty);
    if (self->clean.folder)
        private_git_close(&self->clean);
    branch_folders_close(&self->folders);
    g_free(self->git);
    g_free(self->tip);
}

/* SELF->clean has the commits of BRANCH afterwards. SECONDS as for private_git_open(). FALSE with
 * ERROR; end() must follow. */
static gboolean begin(taking *self, const struct box *branch, int seconds, GError **error)
{
    *self = (taking){.branch = branch, .folders = {-1, -1, NULL}};
    if (!branch_folders_open(branch, &self->folders, error))
        return FALSE;
    g_autofree char *dirty = g_build_filename(branch->data, DIRTY, NULL);
    g_autofree char *clean = g_build_filename(branch->data, CLEAN, NULL);
    self->git = g_build_filename(branch->project, ".git", NULL);
    self->tip = commits_find_head(&self->folders, error);
    return self->tip && private_git_open(&self->dirty, dirty, branch->project, seconds, error) &&
           private_git_open(&self->clean, clean, branch->project, seconds, error) &&
           bring(self, error);
}

/* Shows the new commits, the newest first. */
static gboolean show(const taking *self, guint count, GError **error)
{
    static const char *const arguments[] = {"log",   "--topo-order",         "-n",
                                            SHOWN,   "--format=%h %an: %s",  COMMITS_TIP,
                                            "--not", "--glob=" COMMITS_HOST, NULL};
    g_autoptr(GString) text = g_string_new(NULL);
    if (!private_git_run(&self->clean, arguments, -1, -1, text, SHOWN_BYTES_MAX, NULL, error))
        return FALSE;
    g_auto(GStrv) lines = g_strsplit(g_strchomp(text->str), "\n", -1);
    for (char **line = lines; *line; line++) {
        g_autofree char *safe = text_safe(*line, -1);
        puts(safe);
    }
    if (count > g_strv_length(lines))
        printf("… and %u more\n", count - g_strv_length(lines));
    fflush(stdout);
    return TRUE;
}

static gboolean confirm_commits(const taking *self, guint count, const branch_take_options *how,
                                GError **error)
{
    g_autofree char *safe = text_safe(self->branch->project, -1);
    g_autofree char *question =
        g_strdup_printf("Take %u commit%s from branch '%s' into the repository of '%s'?", count,
                        count > 1 ? "s" : "", self->branch->branch, safe);
    return show(self, count, error) && how->confirm(question, error);
}

static gboolean take(const taking *self, guint count, GError **error)
{
    g_autofree char *ref = g_strconcat(COMMITS_TAKEN, self->branch->branch, NULL);
    g_autofree char *refspec = g_strconcat("+" COMMITS_TIP ":", ref, NULL);
    private_git host = self->clean;
    host.repository = self->git;
    private_git_give_time(&host, 0);
    if (!fetch(&host, &self->clean, refspec, error))
        return FALSE;
    log_note("%u commit%s of branch '%s' %s in your repository, as '%s'", count,
             count > 1 ? "s" : "", self->branch->branch, count > 1 ? "are" : "is", ref);
    log_note("next: 'git log -p HEAD..%s', 'git merge %s'", ref, ref);
    return TRUE;
}

static gboolean take_listed(const taking *self, const settings *wanted, const char *list,
                            guint count, const branch_take_options *how, GError **error)
{
    int refused =
        commits_check(&self->clean, self->branch, wanted, self->folders.project, list, how, error);
    if (refused < 0)
        return FALSE;
    if (refused == 0)
        return confirm_commits(self, count, how, error) && take(self, count, error);
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                "nothing was taken: commits have %d change%s that need%s a yes by "
                "--allow-protected, or cannot be taken; 'box branch take %s' takes files without "
                "them",
                refused, refused > 1 ? "s" : "", refused > 1 ? "" : "s", self->branch->branch);
    return FALSE;
}

gboolean branch_take_commits(const struct box *self, const settings *wanted,
                             const branch_take_options *how, GError **error)
{
    taking at;
    guint count = 0;
    gboolean done = begin(&at, self, 0, error);
    g_autofree char *list = done ? commits_list(&at.clean, &count, error) : NULL;
    if (list && !count)
        log_note("branch '%s': there are no new commits", self->branch);
    done = list && (!count || take_listed(&at, wanted, list, count, how, error));
    end(&at);
    return done;
}

/* What is checked out in the branch is what the host has. */
static gboolean has_host_head(const struct box *self)
{
    branch_folders folders;
    if (!branch_folders_open(self, &folders, NULL))
        return FALSE;
    branch_folders host = {-1, folders.project, NULL};
    g_autofree char *ours = commits_find_head(&folders, NULL);
    g_autofree char *theirs = commits_find_head(&host, NULL);
    branch_folders_close(&folders);
    return ours && g_strcmp0(ours, theirs) == 0;
}

int branch_count_commits(const struct box *self)
{
    taking at;
    guint count = 0;
    if (has_host_head(self))
        return 0;
    g_autofree char *list =
        begin(&at, self, COUNT_SECONDS, NULL) ? commits_list(&at.clean, &count, NULL) : NULL;
    end(&at);
    return list ? (int)count : -1;
}
