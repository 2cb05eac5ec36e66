#include "box/inspect/project_scan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/subid.h"

/* The kernel sets file times to the time of its last tick (coarse clock). */
#define CLOCK_TICK_US 10000

typedef struct {
    int top; /* the project, O_PATH */
    const settings *wanted;
    gint64 since;   /* microseconds, real time */
    GQueue folders; /* relative paths that are still to be scanned, upper ones first */
    project_scan_result *result;
} scan;

/* TRUE when PATH is one of NAMES, or lies below one. */
static gboolean begins_with_any(const char *path, char *const *names)
{
    for (; names && *names; names++)
        if (*path == **names && fs_is_below(path, *names))
            return TRUE;
    return FALSE;
}

/* What is not protected, as git in the box needs it: the commands of a rebase, cherry-pick or
 * revert that is not finished, which `git rebase --continue` and the like run. A strategy is one,
 * too: with a slash in its name it may be a file of the project. */
static char *unprotected[] = {"rebase-merge/git-rebase-todo", "rebase-merge/strategy",
                              "sequencer/opts", NULL};

gboolean project_scan_is_watched(const settings *wanted, const char *path)
{
    /* examples, which git does not run */
    if (g_str_has_suffix(path, ".sample"))
        return FALSE;
    /* "a/.git/hooks/x" contains ".git/hooks". */
    for (const char *at = path; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (begins_with_any(at, unprotected) || begins_with_any(at, wanted->protect.paths) ||
            begins_with_any(at, wanted->protect.extra))
            return TRUE;
    }
    return FALSE;
}

/* By the change time, because programs in the box can set the other times. */
static gboolean is_newer_than(const struct stat *st, gint64 since)
{
    gint64 changed = (gint64)st->st_ctim.tv_sec * G_USEC_PER_SEC + st->st_ctim.tv_nsec / 1000;
    return changed >= since - CLOCK_TICK_US;
}

static gboolean is_newer(const scan *self, const struct stat *st)
{
    return is_newer_than(st, self->since);
}

static void add(project_scan_result *result, char *path)
{
    if (result->paths->len < PROJECT_SCAN_MAX) {
        g_ptr_array_add(result->paths, path);
        return;
    }
    g_free(path);
    result->more++;
}

/* TRUE when the folder PATH could not be read because of its rights, which a box can give back: it
 * is of the user, or of root of the box. What only others may read, the user's tools do not. */
static gboolean is_closed(const scan *self, const char *path)
{
    struct stat st;
    int fd = fs_open_beneath(self->top, *path ? path : ".", O_PATH | O_DIRECTORY, 0);
    gboolean closed = fd >= 0 && fstat(fd, &st) == 0 &&
                      (st.st_uid == getuid() ||
                       (self->wanted->security.sudo != SUDO_DENY && subid_is_ours(st.st_uid)));
    if (fd >= 0)
        close(fd);
    return closed;
}

/* ALL: also what has not changed itself. FALSE when rights to look at NAME are missing. */
static gboolean scan_entry(scan *self, int folder, const char *in, const char *name, gboolean all)
{
    struct stat st;
    g_autofree char *path = *in ? g_build_filename(in, name, NULL) : g_strdup(name);
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno != EACCES;
    /* Git objects are many, and are never executed. */
    if (S_ISDIR(st.st_mode) && !g_str_has_suffix(path, ".git/objects"))
        g_queue_push_tail(&self->folders, g_strdup(path));
    else if (!S_ISDIR(st.st_mode) && (all || is_newer(self, &st)) &&
             project_scan_is_watched(self->wanted, path))
        add(self->result, g_steal_pointer(&path));
    return TRUE;
}

static void scan_folder(scan *self, const char *path)
{
    int fd = *path ? fs_open_beneath(self->top, path, O_RDONLY | O_DIRECTORY, 0)
                   : openat(self->top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    if (!folder) {
        self->result->unread +=
            fd < 0 && (errno == ENAMETOOLONG || (errno == EACCES && is_closed(self, path)));
        if (fd >= 0)
            close(fd);
        return;
    }
    struct stat st;
    /* Old files have new names in a folder that was renamed to such a name. */
    gboolean all =
        project_scan_is_watched(self->wanted, path) && fstat(fd, &st) == 0 && is_newer(self, &st);
    gboolean seen = TRUE;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            seen &= scan_entry(self, fd, path, entry->d_name, all);
    }
    closedir(folder);
    self->result->unread += !seen && is_closed(self, path);
}

static int open_project(const char *project)
{
    return open(project, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

void project_scan(const char *project, const settings *wanted, gint64 since,
                  project_scan_result *result)
{
    scan self = {.top = open_project(project),
                 .wanted = wanted,
                 .since = since,
                 .folders = G_QUEUE_INIT,
                 .result = result};
    if (self.top < 0)
        return;
    g_queue_push_tail(&self.folders, g_strdup(""));
    for (char *path; (path = g_queue_pop_head(&self.folders));) {
        scan_folder(&self, path);
        g_free(path);
    }
    close(self.top);
}

static gboolean look_at(const char *project, const char *path, struct stat *st)
{
    int top = open_project(project);
    int fd = top < 0 ? -1 : fs_open_beneath(top, path, O_PATH | O_NOFOLLOW, 0);
    gboolean exists = fd >= 0 && fstat(fd, st) == 0;
    if (fd >= 0)
        close(fd);
    if (top >= 0)
        close(top);
    return exists;
}

gboolean project_scan_exists(const char *project, const char *path)
{
    struct stat st;
    return look_at(project, path, &st);
}

gboolean project_scan_has_changed(const char *project, const char *path, gint64 since)
{
    struct stat st;
    return look_at(project, path, &st) && is_newer_than(&st, since);
}
