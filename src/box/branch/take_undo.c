#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/branch/take_steps.h"
#include "common/error.h"
#include "common/fs.h"
#include "common/text.h"
#include "console/log.h"

typedef struct {
    const take_plan *plan;
    int project;
    branch_taken *taken;
    guint left;   /* files that somebody has changed */
    GError *full; /* for the first that a full disk has no room for; NULL: none */
} undo;

static const take_item *item_at(const undo *self, guint index)
{
    return self->plan->items->pdata[index];
}

static void leave(undo *self, guint index)
{
    g_autofree char *safe = text_safe(item_at(self, index)->path, -1);
    log_warning("'%s' was changed meanwhile, and stays as it is", safe);
    self->left++;
}

/* By errno, which is 0 when somebody has changed the file. */
static void fail(undo *self, guint index)
{
    int saved = errno;
    if (saved != ENOSPC && saved != EDQUOT) {
        leave(self, index);
        return;
    }
    g_autofree char *safe = text_safe(item_at(self, index)->path, -1);
    if (!self->full)
        g_set_error(&self->full, BOX_ERROR, BOX_ERROR_FAILED, "cannot put '%s' back: %s", safe,
                    g_strerror(saved));
}

static gboolean exists(int parent, const char *name)
{
    struct stat st;
    return fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Undoes an exchange. Afterwards it is looked at what came out: somebody may have saved the file at
 * the same moment, whose work keeps its name. TRUE: NEW of ASIDE is what the take has made. */
static gboolean exchange_back(const take_plan *plan, guint index, int aside, const char *new,
                              int parent, const char *name)
{
    if (!take_matches(plan, index, FALSE, parent, name) ||
        renameat2(aside, new, parent, name, RENAME_EXCHANGE) < 0)
        return FALSE;
    if (take_matches(plan, index, FALSE, aside, new))
        return TRUE;
    renameat2(aside, new, parent, name, RENAME_EXCHANGE);
    return FALSE;
}

/* What a kill has left under temporary names. What is neither old nor new is somebody's work, which
 * was caught by an exchange: it gets its name back. */
static void clear_temporary(undo *self, guint index, int parent, const char *name)
{
    const take_plan *plan = self->plan;
    g_autofree char *part = take_temporary(plan, index, TAKE_PART);
    g_autofree char *new = take_temporary(plan, index, TAKE_NEW);
    g_autofree char *old = take_temporary(plan, index, TAKE_OLD);
    int aside = take_aside(plan, index, parent);
    unlinkat(aside, part, 0);
    if (exists(aside, new)) {
        gboolean is_ours = take_matches(plan, index, FALSE, aside, new) ||
                           exchange_back(plan, index, aside, new, parent, name);
        if (is_ours || take_matches(plan, index, TRUE, aside, new))
            unlinkat(aside, new, 0);
    }
    if (exists(aside, old) && renameat2(aside, old, parent, name, RENAME_NOREPLACE) < 0 &&
        take_matches(plan, index, TRUE, aside, old))
        unlinkat(aside, old, 0);
    /* The plan's folder stays, then. */
    if (aside != parent && (exists(aside, new) || exists(aside, old)))
        leave(self, index);
}

/* Puts the copy of the host's file back, in place of what is at NAME. */
static gboolean restore(const undo *self, guint index, int parent, const char *name)
{
    g_autofree char *new = take_temporary(self->plan, index, TAKE_NEW);
    int aside = take_aside(self->plan, index, parent);
    return take_make(self->plan, index, TRUE, aside) == 0 &&
           renameat(aside, new, parent, name) == 0;
}

/* What the take has made at NAME goes, or becomes what it was. */
static void undo_made(undo *self, guint index, int parent, const char *name)
{
    const take_item *item = item_at(self, index);
    gboolean done = TRUE;
    if (!exists(parent, name))
        return;
    errno = 0;
    if (S_ISDIR(item->after)) {
        /* One that somebody has put a file into stays. */
        done =
            S_ISDIR(item->before) || unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOTDIR;
    } else if (take_matches(self->plan, index, FALSE, parent, name)) {
        gboolean was_file = item->before && !S_ISDIR(item->before);
        done = was_file ? restore(self, index, parent, name) : unlinkat(parent, name, 0) == 0;
    } else if (!S_ISDIR(item->before)) {
        done = take_matches(self->plan, index, TRUE, parent, name);
    }
    if (!done)
        fail(self, index);
}

/* What the take has removed from NAME comes back. */
static void undo_removed(undo *self, guint index, int parent, const char *name)
{
    const take_item *item = item_at(self, index);
    gboolean done = TRUE;
    if (S_ISDIR(item->before)) {
        done = mkdirat(parent, name, 0700) == 0 || errno == EEXIST;
        int fd = done ? openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
        done = fd >= 0;
        if (fd >= 0)
            close(fd);
    } else if (!exists(parent, name)) {
        done = restore(self, index, parent, name);
    }
    if (!done)
        fail(self, index);
}

/* What has come back is what the branch knows: the host has not moved on with it. */
static void note_restored(undo *self, guint index, int parent, const char *name)
{
    const take_item *item = item_at(self, index);
    struct stat st;
    if (!item->moved_on && take_matches(self->plan, index, TRUE, parent, name) &&
        fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        branch_taken_add(self->taken, item->path, &st);
}

static void set_old_rights(const undo *self, guint index)
{
    const take_item *item = item_at(self, index);
    int fd = fs_open_beneath(self->project, item->path, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0)
        return;
    if (fchmod(fd, item->before & 07777) < 0)
        log_warning("cannot give a folder its rights back: %s", g_strerror(errno));
    close(fd);
}

/* Calls STEP for one item, with its folder. FALSE: it has none. */
static gboolean with_parent(undo *self, guint index,
                            void (*step)(undo *self, guint index, int parent, const char *name))
{
    const char *name;
    int parent = take_open_parent(self->project, item_at(self, index)->path, &name);
    if (parent < 0)
        return FALSE;
    step(self, index, parent, name);
    close(parent);
    return TRUE;
}

/* Somebody has removed or renamed the item's folder, so that what it was can go nowhere. */
static void leave_out(undo *self, guint index)
{
    g_autofree char *safe = text_safe(item_at(self, index)->path, -1);
    log_warning("'%s' cannot be put back: its folder is gone", safe);
    self->left++;
}

static void first_pass(undo *self, guint index, int parent, const char *name)
{
    clear_temporary(self, index, parent, name);
    if (item_at(self, index)->after)
        undo_made(self, index, parent, name);
}

guint take_undo(int project, const take_plan *plan, branch_taken *taken, GError **full)
{
    undo self = {.plan = plan, .project = project, .taken = taken};
    for (guint i = plan->items->len; i-- > 0;)
        with_parent(&self, i, first_pass);
    for (guint i = 0; i < plan->items->len; i++)
        /* After a full disk the folder may be one that comes back with the next try. */
        if (item_at(&self, i)->before && !with_parent(&self, i, undo_removed) && !self.full)
            leave_out(&self, i);
    for (guint i = plan->items->len; i-- > 0;)
        if (S_ISDIR(item_at(&self, i)->before))
            set_old_rights(&self, i);
    for (guint i = 0; i < plan->items->len; i++)
        with_parent(&self, i, note_restored);
    syncfs(project);
    if (self.full)
        g_propagate_error(full, self.full);
    return self.left;
}
