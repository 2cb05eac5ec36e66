/*
 * Finds files that a session left in the project and that a tool of the host would execute: hooks
 * of a repository that was created or cloned in the box, tasks, rc files. Protected paths cannot
 * change; this finds files with the same names in other folders, and changes that got past the
 * guard.
 */
#include "box/exec/sessions.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/text.h"
#include "console/log.h"

#define TIME_MAX_US 333000
#define SHOWN_MAX 10
/* The kernel sets file times to the time of its last tick (coarse clock). */
#define CLOCK_TICK_US 10000

typedef struct {
    int top; /* the project, O_PATH */
    const struct runtime_config *known;
    gint64 since, deadline; /* microseconds: real time; monotonic time */
    GQueue folders;         /* relative paths that are still to be scanned, upper ones first */
    GPtrArray *found;       /* relative paths */
} project_scan;

/* TRUE when PATH contains NAME as whole parts ("a/.git/hooks/x" contains ".git/hooks"). */
static gboolean contains(const char *path, const char *name)
{
    gsize length = strlen(name);
    for (const char *at = path; (at = strstr(at, name)); at++) {
        gboolean begins = at == path || at[-1] == '/';
        if (begins && (at[length] == '\0' || at[length] == '/'))
            return TRUE;
    }
    return FALSE;
}

static gboolean contains_any(const char *path, char *const *names)
{
    for (; names && *names; names++)
        if (contains(path, *names))
            return TRUE;
    return FALSE;
}

static gboolean is_watched(const project_scan *self, const char *path)
{
    /* examples, which git does not run */
    if (g_str_has_suffix(path, ".sample"))
        return FALSE;
    const settings *known = self->known->settings;
    return contains_any(path, known->protect.paths) || contains_any(path, known->protect.extra);
}

/* By the change time, because programs in the box can set the other times. */
static gboolean is_newer(const project_scan *self, const struct stat *st)
{
    gint64 changed = (gint64)st->st_ctim.tv_sec * G_USEC_PER_SEC + st->st_ctim.tv_nsec / 1000;
    return changed >= self->since - CLOCK_TICK_US;
}

static void scan_entry(project_scan *self, int folder, const char *in, const char *name)
{
    struct stat st;
    g_autofree char *path = *in ? g_build_filename(in, name, NULL) : g_strdup(name);
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return;
    /* Git objects are many, and are never executed. */
    if (S_ISDIR(st.st_mode) && !g_str_has_suffix(path, ".git/objects"))
        g_queue_push_tail(&self->folders, g_strdup(path));
    else if (!S_ISDIR(st.st_mode) && is_newer(self, &st) && is_watched(self, path))
        g_ptr_array_add(self->found, g_steal_pointer(&path));
}

static void scan_folder(project_scan *self, const char *path)
{
    int fd = *path ? fs_open_beneath(self->top, path, O_RDONLY | O_DIRECTORY, 0)
                   : openat(self->top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    if (!folder) {
        if (fd >= 0)
            close(fd);
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            scan_entry(self, fd, path, entry->d_name);
        if (g_get_monotonic_time() > self->deadline)
            break;
    }
    closedir(folder);
}

static void show(const project_scan *self)
{
    if (!self->found->len)
        return;
    log_warning("this session changed files that tools of the host execute or obey:");
    for (guint i = 0; i < MIN(self->found->len, SHOWN_MAX); i++) {
        g_autofree char *safe = text_safe(self->found->pdata[i], -1);
        log_warning("  %s", safe);
    }
    if (self->found->len > SHOWN_MAX)
        log_warning("  … and %u more", self->found->len - SHOWN_MAX);
}

void project_scan_report(const struct box *self, const struct runtime_config *known, gint64 since)
{
    project_scan scan = {.known = known,
                         .since = since,
                         .deadline = g_get_monotonic_time() + TIME_MAX_US,
                         .folders = G_QUEUE_INIT};
    scan.top = open(self->project, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (scan.top < 0)
        return;
    scan.found = g_ptr_array_new_with_free_func(g_free);
    g_queue_push_tail(&scan.folders, g_strdup(""));
    for (char *path; (path = g_queue_pop_head(&scan.folders));) {
        if (g_get_monotonic_time() <= scan.deadline)
            scan_folder(&scan, path);
        g_free(path);
    }
    show(&scan);
    g_ptr_array_free(scan.found, TRUE);
    close(scan.top);
}
