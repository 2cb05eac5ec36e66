#include "box/git_shim/git_places.h"

#include <string.h>
#include <sys/stat.h>

#include "common/fs.h"

/* Bytes. A .git or commondir file holds one path. */
#define LINK_FILE_MAX 8192
#define GITFILE "gitdir: "

/* The search of one call; it ends with the first box or error. */
typedef struct {
    const project_finder *projects;
    struct box *owner;
    GError *problem;
} search;

static gboolean is_over(const search *self)
{
    return self->owner || self->problem;
}

static void look(search *self, const char *real)
{
    if (!is_over(self))
        self->owner = project_finder_look(self->projects, real, &self->problem);
}

/* Looks at PATH (absolute), at each folder that the way to it passes, at each link, and at each
 * folder that a link leaves by "..": a box that puts a link in its place decides where that leads.
 */
static void look_on_way(search *self, const char *path)
{
    for (const char *end = path; *end && !is_over(self);) {
        end += strspn(end, "/");
        end += strcspn(end, "/");
        g_autofree char *part = g_strndup(path, (gsize)(end - path));
        g_autoptr(GPtrArray) via = g_ptr_array_new_with_free_func(g_free);
        g_autoptr(GPtrArray) left = g_ptr_array_new_with_free_func(g_free);
        g_autofree char *real = fs_resolve_leaving(part, via, left);
        for (guint i = 0; i < via->len; i++)
            look(self, via->pdata[i]);
        for (guint i = 0; i < left->len; i++)
            look(self, left->pdata[i]);
        if (!real)
            return; /* git cannot go on from here either */
        look(self, real);
    }
}

/* PATH, which may be relative to FOLDER; a new string. */
static char *path_from(const char *folder, const char *path)
{
    return *path == '/' ? g_strdup(path) : g_build_filename(folder, path, NULL);
}

static void look_from(search *self, const char *folder, const char *path)
{
    g_autofree char *absolute = path ? path_from(folder, path) : NULL;
    if (absolute)
        look_on_way(self, absolute);
}

static gboolean is_link(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

/* The path that the file at PATH, or behind a link there, holds behind PREFIX, a new string; NULL
 * when it is no such file. A relative one starts at the folder of PATH. */
static char *read_link_file(const char *path, const char *prefix)
{
    struct stat st;
    if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
        return NULL;
    g_autoptr(GPtrArray) via = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *real = fs_resolve(path, via);
    g_autofree char *text = real ? fs_read_text(real, LINK_FILE_MAX) : NULL;
    g_autofree char *folder = g_path_get_dirname(path);
    if (!text || !g_str_has_prefix(text, prefix))
        return NULL;
    for (gsize end = strlen(text); end > 0 && strchr("\r\n", text[end - 1]);)
        text[--end] = '\0';
    return path_from(folder, text + strlen(prefix));
}

/* Looks at the links in REPOSITORY behind which git finds what it obeys. */
static void look_at_parts(search *self, const char *repository)
{
    static const char *const parts[] = {"config", "config.worktree", "hooks", "commondir"};
    for (gsize i = 0; i < G_N_ELEMENTS(parts); i++) {
        g_autofree char *path = g_build_filename(repository, parts[i], NULL);
        if (is_link(path))
            look_on_way(self, path);
    }
}

/* Looks at what REPOSITORY, a folder, leads to; and at the repository that it is a worktree of. */
static void look_into(search *self, const char *repository)
{
    g_autofree char *file = g_build_filename(repository, "commondir", NULL);
    g_autofree char *common = read_link_file(file, "");
    look_at_parts(self, repository);
    if (!common)
        return;
    look_on_way(self, common);
    look_at_parts(self, common);
}

/* Looks at the repository at PATH, which may be a folder, a file or a link to one. */
static void look_at_repository(search *self, const char *path)
{
    g_autofree char *named = read_link_file(path, GITFILE);
    if (is_link(path))
        look_on_way(self, path);
    if (named)
        look_on_way(self, named);
    look_into(self, named ? named : path);
}

/* Looks at FOLDER, where git takes a .git or the folder itself for a repository. */
static void look_at_folder(search *self, const char *folder)
{
    struct stat st;
    g_autofree char *git = g_build_filename(folder, ".git", NULL);
    g_autofree char *head = g_build_filename(folder, "HEAD", NULL);
    if (lstat(git, &st) == 0)
        look_at_repository(self, git);
    if (lstat(head, &st) == 0)
        look_into(self, folder);
}

static void discover(search *self, const char *folder)
{
    g_autofree char *at = g_strdup(folder);
    look_at_folder(self, at);
    while (strcmp(at, "/") != 0) {
        char *above = g_path_get_dirname(at);
        g_free(at);
        at = above;
        look_at_folder(self, at);
    }
}

/* Commands that start git in a repository which they name, or make one. */
static const char *const namers[] = {
    "clone",       "fetch",        "init",           "init-db", "ls-remote",  "pull",
    "push",        "submodule",    "worktree",       "archive", "fetch-pack", "send-pack",
    "upload-pack", "receive-pack", "upload-archive", NULL,
};

/* The path that an argument may be, as a new string: behind "=" of an option, or in a URL. */
static char *path_of(const char *argument)
{
    const char *value = *argument == '-' ? strchr(argument, '=') : NULL;
    const char *path = value ? value + 1 : argument;
    if (!g_str_has_prefix(path, "file://"))
        return g_strdup(path);
    char *decoded = g_uri_unescape_string(path + strlen("file://"), NULL);
    return decoded ? decoded : g_strdup(path);
}

static void look_at_arguments(search *self, const git_call *call, const char *folder)
{
    if (!call->command || !g_strv_contains(namers, call->command))
        return;
    for (char **word = call->arguments; *word; word++) {
        g_autofree char *path = path_of(*word);
        g_autofree char *absolute = path_from(folder, path);
        look_on_way(self, absolute);
        look_at_folder(self, absolute);
    }
}

static void look_at_git_dir(search *self, const char *folder, const char *git_dir)
{
    g_autofree char *path = path_from(folder, git_dir);
    look_on_way(self, path);
    look_at_repository(self, path);
}

struct box *git_places_owner(const git_call *call, const char *folder,
                             const project_finder *projects, GError **error)
{
    static const char *const variables[] = {"GIT_COMMON_DIR", "GIT_INDEX_FILE",
                                            "GIT_OBJECT_DIRECTORY"};
    search self = {projects, NULL, NULL};
    const char *git_dir = call->git_dir ? call->git_dir : g_getenv("GIT_DIR");
    if (git_dir)
        look_at_git_dir(&self, folder, git_dir);
    else
        discover(&self, folder);
    look_from(&self, folder, call->work_tree ? call->work_tree : g_getenv("GIT_WORK_TREE"));
    for (gsize i = 0; i < G_N_ELEMENTS(variables); i++)
        look_from(&self, folder, g_getenv(variables[i]));
    look_at_arguments(&self, call, folder);
    if (self.problem)
        g_propagate_error(error, self.problem);
    return self.owner;
}
