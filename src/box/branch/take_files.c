#include "box/branch/take_steps.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/branch/taken.h"
#include "common/fs.h"

int take_open_parent(int top, const char *path, const char **name)
{
    const char *slash = strrchr(path, '/');
    g_autofree char *folder = slash ? g_strndup(path, (gsize)(slash - path)) : g_strdup(".");
    *name = slash ? slash + 1 : path;
    return fs_open_beneath(top, folder, O_RDONLY | O_DIRECTORY, 0);
}

int take_stat(int top, const char *path, struct stat *st)
{
    const char *name;
    int parent = take_open_parent(top, path, &name);
    int status = parent < 0 ? -1 : fstatat(parent, name, st, AT_SYMLINK_NOFOLLOW);
    int saved = errno;
    if (status < 0)
        st->st_mode = 0;
    if (parent >= 0)
        close(parent);
    errno = saved;
    return status;
}

char *take_temporary(const take_plan *plan, guint index, const char *suffix)
{
    return g_strdup_printf(".litterbox-%s-%u%s", plan->id, index, suffix);
}

int take_aside(const take_plan *plan, guint index, int parent)
{
    const take_item *item = plan->items->pdata[index];
    return item->is_protected && plan->aside >= 0 ? plan->aside : parent;
}

/* Writes the copy to a new file PART with RIGHTS. -1 with errno. */
static int write_part(const take_plan *plan, guint index, gboolean old, int aside, const char *part,
                      mode_t rights)
{
    int from = take_plan_open(plan, old ? TAKE_COPY_OLD : TAKE_COPY_NEW, index);
    int to = from < 0
                 ? -1
                 : openat(aside, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    gboolean done = to >= 0 && fs_copy_contents(from, to) && fchmod(to, rights) == 0;
    int saved = errno;
    if (from >= 0)
        close(from);
    if (to >= 0 && close(to) < 0 && done) {
        saved = errno;
        done = FALSE;
    }
    errno = saved;
    return done ? 0 : -1;
}

int take_make(const take_plan *plan, guint index, gboolean old, int aside)
{
    const take_item *item = plan->items->pdata[index];
    mode_t mode = old ? item->before : item->after;
    g_autofree char *part = take_temporary(plan, index, TAKE_PART);
    g_autofree char *new = take_temporary(plan, index, TAKE_NEW);
    if (S_ISLNK(mode))
        return symlinkat(old ? item->old_link : item->link, aside, new);
    if (write_part(plan, index, old, aside, part, mode & 0777) == 0 &&
        renameat2(aside, part, aside, new, RENAME_NOREPLACE) == 0)
        return 0;
    int saved = errno;
    unlinkat(aside, part, 0);
    errno = saved;
    return -1;
}

static gboolean is_link_to(int parent, const char *name, const char *target)
{
    char found[PATH_MAX];
    ssize_t length = readlinkat(parent, name, found, sizeof found - 1);
    if (length < 0 || !target)
        return FALSE;
    found[length] = '\0';
    return strcmp(found, target) == 0;
}

gboolean take_matches(const take_plan *plan, guint index, gboolean old, int parent,
                      const char *name)
{
    const take_item *item = plan->items->pdata[index];
    mode_t mode = old ? item->before : item->after;
    if (S_ISLNK(mode))
        return is_link_to(parent, name, old ? item->old_link : item->link);
    if (!S_ISREG(mode))
        return FALSE;
    int found = fs_open_beneath(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    int copy = take_plan_open(plan, old ? TAKE_COPY_OLD : TAKE_COPY_NEW, index);
    struct stat st;
    gboolean same = found >= 0 && copy >= 0 && fstat(found, &st) == 0 && S_ISREG(st.st_mode) &&
                    fs_same_contents(found, copy);
    if (found >= 0)
        close(found);
    if (copy >= 0)
        close(copy);
    return same;
}
