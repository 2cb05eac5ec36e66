#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/branch/take_steps.h"
#include "common/fs.h"
#include "common/interrupt.h"
#include "common/text.h"

static gboolean fail(const char *path, GError **error)
{
    int saved = errno;
    g_autofree char *safe = text_safe(path, -1);
    if (saved == ESTALE || saved == EEXIST)
        g_set_error(error, BOX_ERROR, BOX_ERROR_BUSY,
                    "'%s' has just changed on the host: look at it again", safe);
    else
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot take '%s': %s", safe,
                    g_strerror(saved));
    return FALSE;
}

static gboolean is_unchanged(const take_item *item, int parent, const char *name)
{
    struct stat st;
    return fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && take_item_is_before(item, &st);
}

/* A file of the host goes. It is looked at where nobody else finds it. -1 with errno. */
static int remove_file(const take_plan *plan, guint index, int parent, const char *name)
{
    const take_item *item = plan->items->pdata[index];
    g_autofree char *old = take_temporary(plan, index, TAKE_OLD);
    int aside = take_aside(plan, index, parent);
    errno = ESTALE;
    if (!is_unchanged(item, parent, name) ||
        renameat2(parent, name, aside, old, RENAME_NOREPLACE) < 0)
        return -1;
    if (is_unchanged(item, aside, old))
        return unlinkat(aside, old, 0);
    renameat2(aside, old, parent, name, RENAME_NOREPLACE);
    errno = ESTALE;
    return -1;
}

/* A folder stays while something is in it that is not taken. */
static int remove_folder(int parent, const char *name)
{
    int status = unlinkat(parent, name, AT_REMOVEDIR);
    return status < 0 && (errno == ENOTEMPTY || errno == EEXIST) ? 0 : status;
}

/* The item has another kind, or is gone, after the take. */
static gboolean is_removed(const take_item *item)
{
    return item->before && (!item->after || S_ISDIR(item->before) != S_ISDIR(item->after));
}

static int remove_item(const take_plan *plan, guint index, int project)
{
    const take_item *item = plan->items->pdata[index];
    const char *name;
    int parent = take_open_parent(project, item->path, &name);
    if (parent < 0)
        return -1;
    int status = S_ISDIR(item->before) ? remove_folder(parent, name)
                                       : remove_file(plan, index, parent, name);
    int saved = errno;
    close(parent);
    errno = saved;
    return status;
}

/* Writable until all that is in it is there. */
static int make_folder(const take_item *item, int parent, const char *name)
{
    return S_ISDIR(item->before) ? 0 : mkdirat(parent, name, 0700);
}

/* NEW of ASIDE takes the place of the host's file, which is looked at where nobody else finds it.
 * It stays there until all is done, as a full disk may have no room to make it anew. */
static int exchange(const take_item *item, int aside, const char *new, int parent, const char *name)
{
    errno = ESTALE;
    if (!is_unchanged(item, parent, name))
        return -1;
    if (renameat2(aside, new, parent, name, RENAME_EXCHANGE) < 0)
        /* A file system without this. */
        return errno == EINVAL || errno == ENOSYS ? renameat(aside, new, parent, name) : -1;
    if (is_unchanged(item, aside, new))
        return 0;
    renameat2(aside, new, parent, name, RENAME_EXCHANGE);
    errno = ESTALE;
    return -1;
}

/* The host's file, which exchange() has left, goes. A program that had it open may have written to
 * it since, which nothing else has. -1 with errno. */
static int remove_left(const take_plan *plan, guint index, int parent)
{
    g_autofree char *new = take_temporary(plan, index, TAKE_NEW);
    int aside = take_aside(plan, index, parent);
    struct stat st;
    if (fstatat(aside, new, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : -1;
    errno = ESTALE;
    return take_item_is_before(plan->items->pdata[index], &st) ? unlinkat(aside, new, 0) : -1;
}

/* What boxes must not see or write lies aside, or does not wait: a box that starts meanwhile knows
 * it by its own name alone. */
static gboolean may_wait(const take_plan *plan, const take_item *item)
{
    return !item->is_protected || plan->aside >= 0;
}

static int make_file(const take_plan *plan, guint index, int parent, const char *name)
{
    const take_item *item = plan->items->pdata[index];
    g_autofree char *new = take_temporary(plan, index, TAKE_NEW);
    int aside = take_aside(plan, index, parent);
    if (take_make(plan, index, FALSE, aside) < 0)
        return -1;
    if (!item->before || S_ISDIR(item->before))
        return renameat2(aside, new, parent, name, RENAME_NOREPLACE);
    int status = exchange(item, aside, new, parent, name);
    return status < 0 || may_wait(plan, item) ? status : remove_left(plan, index, parent);
}

static int make_item(const take_plan *plan, guint index, int project, branch_taken *taken)
{
    const take_item *item = plan->items->pdata[index];
    struct stat st;
    const char *name;
    int parent = take_open_parent(project, item->path, &name);
    if (parent < 0)
        return -1;
    int status = S_ISDIR(item->after) ? make_folder(item, parent, name)
                                      : make_file(plan, index, parent, name);
    /* A merge has work of the host's, which the branch does not know. */
    if (status == 0 && !item->is_merged && fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        branch_taken_add(taken, item->path, &st);
    int saved = errno;
    close(parent);
    errno = saved;
    return status;
}

static gboolean is_replaced(const take_item *item)
{
    return item->before && item->after && !S_ISDIR(item->before) && !S_ISDIR(item->after);
}

static int remove_replaced(const take_plan *plan, guint index, int project)
{
    const char *name;
    const take_item *item = plan->items->pdata[index];
    int parent = take_open_parent(project, item->path, &name);
    if (parent < 0)
        return -1;
    int status = remove_left(plan, index, parent);
    int saved = errno;
    close(parent);
    errno = saved;
    return status;
}

static int set_rights(const take_item *item, int project)
{
    int fd = fs_open_beneath(project, item->path, O_RDONLY | O_DIRECTORY, 0);
    int status = fd < 0 ? -1 : fchmod(fd, item->after & 0777);
    int saved = errno;
    if (fd >= 0)
        close(fd);
    errno = saved;
    return status;
}

gboolean take_apply(int project, const take_plan *plan, branch_taken *taken, GError **error)
{
    const GPtrArray *items = plan->items;
    for (guint i = items->len; i-- > 0;) {
        const take_item *item = items->pdata[i];
        if (!interrupt_check(error))
            return FALSE;
        if (is_removed(item) && remove_item(plan, i, project) < 0)
            return fail(item->path, error);
    }
    for (guint i = 0; i < items->len; i++) {
        const take_item *item = items->pdata[i];
        if (!interrupt_check(error))
            return FALSE;
        if (item->after && make_item(plan, i, project, taken) < 0)
            return fail(item->path, error);
    }
    for (guint i = 0; i < items->len; i++) {
        const take_item *item = items->pdata[i];
        if (is_replaced(item) && remove_replaced(plan, i, project) < 0)
            return fail(item->path, error);
    }
    for (guint i = items->len; i-- > 0;) {
        const take_item *item = items->pdata[i];
        if (S_ISDIR(item->after) && set_rights(item, project) < 0)
            return fail(item->path, error);
    }
    return syncfs(project) == 0 || fail(".", error);
}
