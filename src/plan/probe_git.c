/*
 * Finds the project's git folder.
 *
 * A .git file that comes with a download, or that a box has written, can name any folder. It is
 * followed only to a folder in the project, or to a git folder of the user that names this project
 * in turn: in the "gitdir" file of a worktree (gitrepository-layout(5)), or as core.worktree of a
 * submodule (git-config(1)).
 */
#include "plan/facts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/stat.h>

#include "common/fs.h"
#include "common/text.h"

/* Bytes. A .git, gitdir or commondir file holds one path. */
#define LINK_FILE_MAX 8192
#define CONFIG_MAX (1 << 20)
/* A plan for a repository with more submodules or worktrees, or deeper ones, is refused. */
#define FOUND_MAX 128
#define MODULE_DEPTH_MAX 16

/* First line of FOLDER/NAME without PREFIX and trailing spaces; NULL without such a line. */
static char *read_line(const char *folder, const char *name, const char *prefix)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    char *text = fs_read_text(path, LINK_FILE_MAX);

    if (!text)
        return NULL;
    text[strcspn(text, "\n")] = '\0';
    if (!g_str_has_prefix(text, prefix)) {
        g_free(text);
        return NULL;
    }
    memmove(text, text + strlen(prefix), strlen(text + strlen(prefix)) + 1);
    return g_strchomp(text);
}

/* Real path of TARGET, which may be relative to FOLDER; or NULL. */
static char *resolve_from(const char *folder, const char *target)
{
    g_autofree char *path =
        target[0] == '/' ? g_strdup(target) : g_build_filename(folder, target, NULL);
    char *real = realpath(path, NULL);
    char *copy = g_strdup(real);

    free(real);
    return copy;
}

static gboolean is_folder_of(const char *folder, const char *name, guint uid)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    struct stat st;

    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == uid;
}

/* TRUE when FOLDER and its HEAD, objects and refs belong to the user. */
static gboolean is_git_folder(const char *folder, guint uid)
{
    g_autofree char *head = g_build_filename(folder, "HEAD", NULL);
    struct stat st;

    return lstat(head, &st) == 0 && st.st_uid == uid && is_folder_of(folder, ".", uid) &&
           is_folder_of(folder, "objects", uid) && is_folder_of(folder, "refs", uid);
}

/* The value of core.worktree in CONFIG, in the form that git itself writes; or NULL. */
static char *core_worktree(const char *config)
{
    g_auto(GStrv) lines = g_strsplit(config, "\n", -1);
    gboolean core = FALSE;

    for (char **line = lines; *line; line++) {
        g_strstrip(*line);
        if (**line == '[')
            core = g_ascii_strcasecmp(*line, "[core]") == 0;
        if (!core || g_ascii_strncasecmp(*line, "worktree", strlen("worktree")) != 0)
            continue;
        char *value = g_strstrip(*line + strlen("worktree"));
        if (*value == '=')
            return g_strdup(g_strstrip(value + 1));
    }
    return NULL;
}

static char *read_config(const char *folder)
{
    g_autofree char *path = g_build_filename(folder, "config", NULL);

    return fs_read_text(path, CONFIG_MAX);
}

/* Accepts FOLDER as a worktree's when it names PROJECT and lies in "worktrees" of a git folder. */
static gboolean accept_worktree(plan_facts *self, const char *project, const char *folder)
{
    g_autofree char *common_line = read_line(folder, "commondir", "");
    g_autofree char *common = common_line ? resolve_from(folder, common_line) : NULL;
    g_autofree char *back = read_line(folder, "gitdir", "");
    g_autofree char *file = g_build_filename(project, ".git", NULL);
    g_autofree char *parent = g_path_get_dirname(folder);
    g_autofree char *worktrees = common ? g_build_filename(common, "worktrees", NULL) : NULL;

    if (!common || !back || strcmp(back, file) != 0 || strcmp(parent, worktrees) != 0 ||
        !is_folder_of(folder, ".", self->uid) || !is_git_folder(common, self->uid))
        return FALSE;
    self->git.folder = g_steal_pointer(&common);
    return TRUE;
}

/* Accepts FOLDER as a submodule's, or any git folder's whose core.worktree is PROJECT. */
static gboolean accept_core_worktree(plan_facts *self, const char *project, const char *folder)
{
    g_autofree char *config = read_config(folder);
    g_autofree char *value = config ? core_worktree(config) : NULL;
    g_autofree char *worktree = value ? resolve_from(folder, value) : NULL;

    if (!worktree || strcmp(worktree, project) != 0 || !is_git_folder(folder, self->uid))
        return FALSE;
    self->git.folder = g_strdup(folder);
    return TRUE;
}

static void follow_git_file(plan_facts *self, const char *project)
{
    g_autofree char *line = read_line(project, ".git", "gitdir: ");
    g_autofree char *folder = line ? resolve_from(project, line) : NULL;

    if (!folder) {
        self->git.distrusted = g_strdup("its .git file names no folder that exists");
        return;
    }
    if (fs_is_below(folder, project)) {
        self->git.folder = g_steal_pointer(&folder);
        return;
    }
    self->git.outside = TRUE;
    if (!accept_worktree(self, project, folder) && !accept_core_worktree(self, project, folder))
        self->git.distrusted = g_strdup_printf(
            "its .git file names '%s', which is not shown because it does not name this project "
            "in turn",
            folder);
}

/* Adds the user's folders in FOLDER/SUB as "SUB/NAME". */
static void list_folders(const char *folder, const char *sub, GPtrArray *found, gboolean *is_cut)
{
    g_autofree char *path = g_build_filename(folder, sub, NULL);
    g_autoptr(GDir) dir = is_folder_of(folder, sub, getuid()) ? g_dir_open(path, 0, NULL) : NULL;
    const char *name;

    while (dir && !*is_cut && (name = g_dir_read_name(dir)))
        if (is_folder_of(path, name, getuid()) && !(*is_cut = found->len == FOUND_MAX))
            g_ptr_array_add(found, g_build_filename(sub, name, NULL));
}

/* Adds the submodules below FOLDER/SUB. A submodule's name may contain "/", so the search also
 * enters folders without a HEAD. */
static void find_modules(const char *folder, const char *sub, int depth, GPtrArray *modules,
                         gboolean *is_cut)
{
    g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(g_free);

    list_folders(folder, sub, found, is_cut);
    *is_cut |= depth == 0 && found->len > 0;
    for (guint i = 0; i < found->len && !*is_cut; i++) {
        const char *at = found->pdata[i];
        g_autofree char *head = g_build_filename(folder, at, "HEAD", NULL);
        g_autofree char *inner = g_build_filename(at, "modules", NULL);
        gboolean is_module = access(head, F_OK) == 0;
        if (is_module && !(*is_cut = modules->len == FOUND_MAX))
            g_ptr_array_add(modules, g_strdup(at));
        find_modules(folder, is_module ? inner : at, depth - 1, modules, is_cut);
    }
}

/* Takes ownership of LIST. Sorted, because the order decides the plan's hash. */
static char **to_sorted_array(GPtrArray *list)
{
    g_ptr_array_sort(list, text_compare);
    g_ptr_array_add(list, NULL);
    return (char **)g_ptr_array_free(list, FALSE);
}

/* Probes the paths in one repository that request_git.c protects. */
static void probe_repository(plan_facts *self, const char *in)
{
    static const char *const names[] = {"config", "hooks", "commondir", "gitdir",
                                        "config.worktree"};

    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = in[0] ? g_build_filename(in, names[i], NULL) : g_strdup(names[i]);
        plan_probe_below(self, self->git.folder, path);
    }
}

/* As after 'git clone --shared'. Each line of the file names a folder of objects. */
static char **find_borrowed(const char *folder, const char *project)
{
    GPtrArray *found = g_ptr_array_new_with_free_func(NULL);
    g_autofree char *objects = g_build_filename(folder, "objects", NULL);
    g_autofree char *path = g_build_filename(objects, "info/alternates", NULL);
    g_autofree char *text = fs_read_text(path, LINK_FILE_MAX);
    g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);

    for (char **line = lines; *line; line++) {
        g_autofree char *real = **line ? resolve_from(objects, *line) : NULL;
        if (real && !fs_is_below(real, project) && !fs_is_below(real, folder))
            g_ptr_array_add(found, g_steal_pointer(&real));
    }
    return to_sorted_array(found);
}

static void probe_git_folder(plan_facts *self, const char *project)
{
    plan_git *git = &self->git;
    GPtrArray *modules = g_ptr_array_new_with_free_func(NULL);
    GPtrArray *worktrees = g_ptr_array_new_with_free_func(NULL);
    g_autofree char *config = read_config(git->folder);
    g_autofree char *lower = config ? g_ascii_strdown(config, -1) : NULL;

    git->worktree_config = lower && strstr(lower, "worktreeconfig");
    find_modules(git->folder, "modules", MODULE_DEPTH_MAX, modules, &git->is_cut);
    list_folders(git->folder, "worktrees", worktrees, &git->is_cut);
    git->modules = to_sorted_array(modules);
    git->worktrees = to_sorted_array(worktrees);
    git->borrowed = find_borrowed(git->folder, project);
    probe_repository(self, "");
    for (char **module = git->modules; *module; module++)
        probe_repository(self, *module);
    for (char **worktree = git->worktrees; *worktree; worktree++)
        probe_repository(self, *worktree);
}

void plan_probe_git(plan_facts *self, const char *project)
{
    g_autofree char *path = g_build_filename(project, ".git", NULL);
    struct stat st;

    plan_probe_below(self, project, ".git");
    if (lstat(path, &st) < 0)
        return;
    if (S_ISDIR(st.st_mode))
        self->git.folder = g_strdup(path);
    else if (S_ISREG(st.st_mode))
        follow_git_file(self, project);
    if (self->git.folder)
        probe_git_folder(self, project);
    plan_probe_git_settings(self, project);
}

void plan_probe_identity(plan_facts *self, const char *project)
{
    const char *outside = self->git.outside ? self->git.folder : NULL;
    g_autofree char *folder = outside ? g_strdup(outside) : g_build_filename(project, ".git", NULL);

    self->identity = git_identity_read_host(self->home, folder);
}
