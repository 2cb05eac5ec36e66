#include "box/branch/take_steps.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "box/branch/branch_paths.h"
#include "box/branch/merge.h"
#include "box/branch/taken.h"
#include "common/fs.h"
#include "common/interrupt.h"
#include "common/text.h"
#include "console/log.h"

static gboolean set_changed(const char *path, GError **error)
{
    g_autofree char *safe = text_safe(path, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_BUSY,
                "'%s' has just changed: look at it again, and then run the command again", safe);
    return FALSE;
}

static gboolean copy_file(take_plan *plan, enum take_copy of, int folder, const char *path,
                          struct stat *st, GError **error)
{
    guint index = plan->items->len - 1;
    int fd = fs_open_beneath(folder, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    if (fd < 0 || fstat(fd, st) < 0) {
        fs_fail(error, "copy", path);
        if (fd >= 0)
            close(fd);
        return FALSE;
    }
    gboolean done = S_ISREG(st->st_mode)
                        ? take_plan_copy(plan, of, index, fd) || fs_fail(error, "copy", path)
                        : set_changed(path, error);
    close(fd);
    return done;
}

/* A link's target, a new string; NULL with errno. */
static char *read_link(int folder, const char *path)
{
    char target[PATH_MAX];
    const char *name;
    int parent = take_open_parent(folder, path, &name);
    ssize_t length = parent < 0 ? -1 : readlinkat(parent, name, target, sizeof target - 1);
    int saved = errno;
    if (parent >= 0)
        close(parent);
    errno = saved;
    return length <= 0 ? NULL : g_strndup(target, (gsize)length);
}

/* What of the host the item replaces. */
static gboolean stage_before(take_plan *plan, take_item *item, int project, mode_t expected,
                             GError **error)
{
    struct stat st = {0}, again;
    /* ELOOP: a link of the host is in the way, and goes first. */
    if (take_stat(project, item->path, &st) < 0 && errno != ENOENT && errno != ENOTDIR &&
        errno != ELOOP)
        return fs_fail(error, "copy", item->path);
    if ((st.st_mode & S_IFMT) != (expected & S_IFMT))
        return set_changed(item->path, error);
    if (S_ISREG(st.st_mode) && !copy_file(plan, TAKE_COPY_OLD, project, item->path, &st, error))
        return FALSE;
    if (S_ISLNK(st.st_mode) && !(item->old_link = read_link(project, item->path)))
        return set_changed(item->path, error);
    if (st.st_mode && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) && !S_ISLNK(st.st_mode))
        return set_changed(item->path, error);
    take_item_set_before(item, &st);
    /* A copy that was made while somebody wrote is none. */
    if (st.st_mode &&
        (take_stat(project, item->path, &again) < 0 || !take_item_is_before(item, &again)))
        return set_changed(item->path, error);
    return TRUE;
}

/* What the branch has. DOUBTS were allowed; the link that is copied has no others. */
static gboolean stage_after(const struct box *self, take_plan *plan, take_item *item,
                            const branch_folders *folders, const branch_change *change,
                            GError **error)
{
    int upper = folders->upper;
    struct stat st = {0};
    if (!change->after)
        return TRUE;
    if (take_stat(upper, item->path, &st) < 0 || (st.st_mode & S_IFMT) != (change->after & S_IFMT))
        return set_changed(item->path, error);
    if (S_ISREG(st.st_mode) && !copy_file(plan, TAKE_COPY_NEW, upper, item->path, &st, error))
        return FALSE;
    if (S_ISLNK(st.st_mode)) {
        item->link = read_link(upper, item->path);
        gboolean stays = item->link &&
                         branch_link_stays(folders->project, self->project, item->path, item->link);
        if (!item->link || (!stays && !(change->doubts & BRANCH_LINK_OUT)))
            return set_changed(item->path, error);
    }
    item->after = (st.st_mode & S_IFMT) | branch_taken_rights(st.st_mode);
    return TRUE;
}

/* The item gets what the merge gives: its last copies are of the host's and the branch's. */
static gboolean stage_merge(const struct box *self, const branch_then *then, take_plan *plan,
                            take_item *item, GError **error)
{
    guint index = plan->items->len - 1;
    gboolean done = take_plan_set_aside(plan, index) == 0;
    int host = take_plan_open(plan, TAKE_COPY_OLD, index);
    int branch = take_plan_open(plan, TAKE_COPY_BRANCH, index);
    int merged = done ? take_plan_make(plan, TAKE_COPY_NEW, index) : -1;
    if (host < 0 || branch < 0 || merged < 0)
        done = fs_fail(error, "copy", item->path);
    done =
        done && branch_merge(self, then, item->path, host, branch, merged, &item->conflicts, error);
    item->is_merged = TRUE;
    int fds[] = {host, branch, merged};
    for (gsize i = 0; i < G_N_ELEMENTS(fds); i++)
        if (fds[i] >= 0)
            close(fds[i]);
    return done;
}

static gboolean make_folders(const take_plan *plan, GError **error)
{
    if (!discard_tree(plan->folder, error))
        return FALSE;
    for (int i = 0; i < N_TAKE_COPIES; i++) {
        g_autofree char *folder = g_build_filename(plan->folder, take_copy_names[i], NULL);
        if (!fs_make_folder(folder, 0700, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean save_then(const take_plan *plan, const branch_then *then, GError **error)
{
    g_autofree char *file = g_build_filename(plan->folder, TAKE_THEN, NULL);
    g_autoptr(GPtrArray) paths = g_ptr_array_new();
    for (guint i = 0; i < plan->items->len; i++)
        g_ptr_array_add(paths, ((const take_item *)plan->items->pdata[i])->path);
    return branch_then_save(then, paths, file, error);
}

static gboolean stage(const struct box *self, take_plan *plan, const branch_folders *folders,
                      const branch_changes *changes, gboolean merge, GError **error)
{
    g_autoptr(branch_then) then = branch_then_read(self);
    if (!make_folders(plan, error))
        return FALSE;
    for (guint i = 0; i < changes->list->len; i++) {
        const branch_change *change = changes->list->pdata[i];
        take_item *item = take_plan_add(plan, change->path);
        item->moved_on = (change->doubts & BRANCH_MOVED_ON) != 0;
        item->is_protected = (change->doubts & BRANCH_PROTECTED) != 0;
        if (!interrupt_check(error) ||
            !stage_before(plan, item, folders->project, change->before, error) ||
            !stage_after(self, plan, item, folders, change, error))
            return FALSE;
        if (merge && change->doubts & BRANCH_MERGES && !stage_merge(self, then, plan, item, error))
            return FALSE;
    }
    take_plan_find_aside(plan, folders->project);
    return save_then(plan, then, error);
}

take_plan *take_stage(const struct box *self, const branch_folders *folders,
                      const branch_changes *changes, gboolean merge, GError **error)
{
    g_autoptr(take_plan) plan = take_plan_new(self);
    log_step("copying what is to be taken");
    gboolean done = stage(self, plan, folders, changes, merge, error);
    log_step_done();
    if (done)
        return g_steal_pointer(&plan);
    /* A disk that is full must not stay so. */
    discard_tree(plan->folder, NULL);
    return NULL;
}
