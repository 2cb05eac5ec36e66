#include "box/branch/take.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/branch/branch_paths.h"
#include "box/branch/take_select.h"
#include "box/branch/take_steps.h"
#include "box/lifecycle/container.h"
#include "box/registry/branch_then.h"
#include "box/registry/registry.h"
#include "common/fs.h"
#include "common/interrupt.h"
#include "common/paths.h"
#include "common/text.h"
#include "console/log.h"

#define LOCK UNFINISHED_TAKE ".lock"

/* Of the items of PLAN, how many have conflicts. */
static guint count_conflicts(const take_plan *plan)
{
    guint count = 0;
    for (guint i = 0; i < plan->items->len; i++)
        count += ((const take_item *)plan->items->pdata[i])->conflicts > 0;
    return count;
}

static gboolean check_conflicts(const take_plan *plan, const branch_take_options *how,
                                GError **error)
{
    guint count = count_conflicts(plan);
    if (!count || !how->strict)
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                "nothing was taken: %u file%s would have conflicts", count, count > 1 ? "s" : "");
    return FALSE;
}

static void note_conflicts(const struct box *self, const take_plan *plan)
{
    guint count = count_conflicts(plan);
    if (count)
        log_warning("%u file%s ha%s conflicts, between '<<<<<<<' and '>>>>>>>': edit %s, or run "
                    "'box branch take --undo %s'",
                    count, count > 1 ? "s" : "", count > 1 ? "ve" : "s", count > 1 ? "them" : "it",
                    self->branch);
}

/* What is under way, against a kill. */

static char *record_path(void)
{
    return paths_data(UNFINISHED_TAKE);
}

static void finish_record(void)
{
    g_autofree char *record = record_path();
    unlink(record);
}

static void restore_then(const struct box *self, const take_plan *plan)
{
    int lock = branch_then_lock(self, NULL);
    g_autoptr(branch_then) then = branch_then_read(self);
    g_autofree char *saved = g_build_filename(plan->folder, TAKE_THEN, NULL);
    branch_then_restore(then, saved);
    branch_then_write(then, NULL);
    if (lock >= 0)
        close(lock);
}

/* Undoes PLAN. What could not be undone keeps its copies: FALSE with ERROR. On a full disk PLAN
 * stays where it is, for the next try: *AGAIN. */
static gboolean undo_plan(const struct box *self, int project, const take_plan *plan,
                          gboolean *again, GError **error)
{
    g_autoptr(GError) full = NULL;
    g_autoptr(branch_taken) taken = branch_taken_read(self);
    log_step("putting back what was there before");
    guint left = take_undo(project, plan, taken, &full);
    branch_taken_write(taken, self, NULL);
    restore_then(self, plan);
    g_autofree char *aside = g_strdup_printf("%s/%s-%s", self->data, TAKE_FOLDER, plan->id);
    log_step_done();
    *again = full != NULL;
    if (full) {
        g_propagate_error(error, g_steal_pointer(&full));
        return FALSE;
    }
    if (!left)
        return discard_tree(plan->folder, error);
    if (!fs_rename(plan->folder, aside, error))
        return FALSE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                "%u file%s changed meanwhile: what they were before is in '%s/old'", left,
                left > 1 ? "s were" : " was", aside);
    return FALSE;
}

/* FALSE with ERROR while the box could read or write what PLAN does with protected names, as their
 * temporary files cannot lie aside. */
static gboolean check_reach(const struct box *self, const take_plan *plan, GError **error)
{
    g_autoptr(box) of = box_new(self->base, self->project, error);
    for (guint i = 0; of && i < plan->items->len; i++) {
        const take_item *item = plan->items->pdata[i];
        if (!item->is_protected || plan->aside >= 0)
            continue;
        if (!box_find_init(of))
            return TRUE;
        g_autofree char *safe = text_safe(item->path, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_STATE,
                    "box '%s' is running, and could change '%s' on its way, as the project is not "
                    "on the file system of '%s': run 'box stop %s' first",
                    of->name, safe, plan->folder, of->name);
        return FALSE;
    }
    return of != NULL;
}

/* WISHED: not the repair, which cannot wait. */
static gboolean undo_folder(const struct box *self, const char *folder, gboolean wished,
                            GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(take_plan) plan = take_plan_read(self, folder, &problem);
    branch_folders folders;
    if (problem) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return FALSE;
    }
    if (!plan)
        return TRUE;
    if (!branch_folders_open(self, &folders, error))
        return FALSE;
    take_plan_find_aside(plan, folders.project);
    gboolean again;
    if (wished)
        interrupt_ignore();
    gboolean done = (!wished || check_reach(self, plan, error)) &&
                    undo_plan(self, folders.project, plan, &again, error);
    if (wished)
        interrupt_end();
    branch_folders_close(&folders);
    return done;
}

/* With the lock. */
static gboolean repair(GError **error)
{
    g_autofree char *record = record_path();
    g_autofree char *name = fs_read_text(record, BOX_NAME_MAX), *project = NULL;
    gboolean done = TRUE;
    /* A box alone, when it was the restore of a snapshot. */
    if (name && box_name_is_valid(name) && registry_find_project(name, &project, error) &&
        project) {
        g_autoptr(box) self = branch_or_box(name, project, error);
        done = self && undo_folder(self, TAKE_FOLDER, FALSE, error);
    }
    if (done)
        unlink(record);
    return done;
}

void branch_take_repair(void)
{
    g_autoptr(GError) problem = NULL;
    g_autofree char *record = record_path(), *path = paths_data(LOCK);
    int lock = access(record, F_OK) == 0 ? fs_try_lock(path) : -1;
    if (lock < 0)
        return;
    if (access(record, F_OK) == 0) {
        log_note("undoing what a killed command has begun in a project");
        if (!repair(&problem))
            log_warning("%s", problem ? problem->message : "it cannot be undone");
    }
    close(lock);
}

static void say_take_waits(const char *path)
{
    (void)path;
    log_note("waiting for another 'box branch take'");
}

/* The lock of all takes, when nothing is left of an earlier one. -1 with ERROR. */
static int lock_takes(GError **error)
{
    g_autofree char *path = paths_data(LOCK), *record = record_path();
    int lock = fs_lock(path, say_take_waits, error);
    if (lock < 0 || access(record, F_OK) < 0 || repair(error))
        return lock;
    close(lock);
    return -1;
}

/* The take. */

/* From now on the host and the branch are apart by what the branch has: all of it is on the host.
 */
static gboolean write_then(const struct box *self, const take_plan *plan, GError **error)
{
    int lock = branch_then_lock(self, error);
    if (lock < 0)
        return FALSE;
    g_autoptr(branch_then) then = branch_then_read(self);
    for (guint i = 0; i < plan->items->len; i++) {
        const take_item *item = plan->items->pdata[i];
        enum take_copy of = item->is_merged ? TAKE_COPY_BRANCH : TAKE_COPY_NEW;
        /* Of a merge of which a part is taken, the next one needs what the host had at first. */
        if (!branch_then_knows(then, item->path) || (item->is_merged && item->is_partial))
            continue;
        int fd = S_ISREG(item->after) ? take_plan_open(plan, of, i) : -1;
        branch_then_set(then, item->path, fd);
        if (fd >= 0)
            close(fd);
    }
    gboolean done = branch_then_write(then, error);
    close(lock);
    return done;
}

/* The copies become those of the last take. */
static gboolean finish(const struct box *self, const take_plan *plan, const branch_taken *taken,
                       GError **error)
{
    g_autofree char *last = g_build_filename(self->data, TAKE_LAST, NULL);
    return branch_taken_write(taken, self, error) && write_then(self, plan, error) &&
           discard_tree(last, error) && fs_rename(plan->folder, last, error);
}

/* Ctrl-C is the reason, whatever it has ended. */
static gboolean is_interrupted(GError **error)
{
    g_autoptr(GError) cancelled = NULL;
    if (interrupt_check(&cancelled))
        return FALSE;
    g_clear_error(error);
    g_propagate_error(error, g_steal_pointer(&cancelled));
    return TRUE;
}

static gboolean apply(const struct box *self, int project, const take_plan *plan, GError **error)
{
    g_autoptr(branch_taken) taken = branch_taken_read(self);
    g_autoptr(GError) problem = NULL;
    g_autofree char *record = record_path();
    if (!take_plan_write(plan, error) || !fs_write(record, self->name, -1, 0600, error))
        return FALSE;
    log_step("changing the project");
    gboolean done = take_apply(project, plan, taken, error) && finish(self, plan, taken, error);
    log_step_done();
    if (done) {
        finish_record();
        return TRUE;
    }
    gboolean cancelled = is_interrupted(error), again;
    interrupt_ignore();
    if (undo_plan(self, project, plan, &again, &problem))
        g_prefix_error_literal(error, cancelled ? "" : "nothing was taken: ");
    else
        log_warning("%s%s", problem->message, again ? "; the next command tries again" : "");
    if (!again)
        finish_record();
    return FALSE;
}

static gboolean take_selected(const struct box *self, const branch_folders *folders, guint left,
                              const branch_changes *changes, const branch_take_options *how,
                              GError **error)
{
    g_autofree char *record = record_path();
    interrupt_begin();
    g_autoptr(take_plan) plan = take_stage(self, folders, changes, !how->overwrite, error);
    /* A box may have been started while the user thought about it. */
    gboolean done = plan && (how->hunks || check_reach(self, plan, error)) &&
                    check_conflicts(plan, how, error) &&
                    (how->hunks ? take_hunks_choose(plan, changes, error)
                                : take_confirm(self, plan, left, changes, how, error)) &&
                    check_reach(self, plan, error) && apply(self, folders->project, plan, error);
    if (done)
        note_conflicts(self, plan);
    else if (plan && access(record, F_OK) < 0)
        discard_tree(plan->folder, NULL);
    if (!done)
        is_interrupted(error);
    interrupt_end();
    return done;
}

static gboolean take_locked(const struct box *self, const settings *wanted,
                            const branch_take_options *how, GError **error)
{
    branch_folders folders;
    g_autoptr(branch_changes) changes = branch_view(self, wanted, error);
    if (!changes || !branch_folders_open(self, &folders, error))
        return FALSE;
    guint left = changes->is_cut ? 1 : take_select(changes, how);
    gboolean done = TRUE;
    if (changes->is_cut)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "branch '%s' has changed more than %d files, the most that can be taken: "
                    "remove some in it first",
                    self->branch, BRANCH_CHANGES_MAX);
    if (changes->is_cut || (left && how->strict)) {
        done = FALSE;
        if (!changes->is_cut)
            g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                        "nothing was taken: %u change%s must stay in the branch", left,
                        left > 1 ? "s" : "");
    } else if (changes->list->len) {
        done = take_selected(self, &folders, left, changes, how, error);
    } else {
        log_note("branch '%s': there is nothing to take", self->branch);
    }
    branch_folders_close(&folders);
    return done;
}

/* With the lock. */
static gboolean take_given(const struct box *self, const branch_folders *folders,
                           branch_changes *changes, const branch_take_options *how, GError **error)
{
    g_autofree char *last = g_build_filename(self->data, TAKE_LAST, NULL);
    if (changes->is_cut) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "there are more than %d changes",
                    BRANCH_CHANGES_MAX);
        return FALSE;
    }
    guint left = take_select(changes, how);
    if (!changes->list->len)
        log_note("%s", how->words->nothing);
    else if (!take_selected(self, folders, left, changes, how, error))
        return FALSE;
    return discard_tree(last, error);
}

gboolean branch_take_changes(const struct box *self, int from, branch_changes *changes,
                             const branch_take_options *how, GError **error)
{
    branch_folders folders = {from, fs_open_real(self->project, O_RDONLY | O_DIRECTORY), NULL};
    if (folders.project < 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot open the project: %s",
                    g_strerror(errno));
        return FALSE;
    }
    int lock = lock_takes(error);
    gboolean done = lock >= 0 && take_given(self, &folders, changes, how, error);
    close(folders.project);
    if (lock >= 0)
        close(lock);
    return done;
}

gboolean branch_take(const struct box *self, const settings *wanted, const branch_take_options *how,
                     GError **error)
{
    int lock = lock_takes(error);
    if (lock < 0)
        return FALSE;
    gboolean done = take_locked(self, wanted, how, error);
    close(lock);
    return done;
}

gboolean branch_take_undo(const struct box *self, GError **error)
{
    g_autofree char *record = record_path();
    g_autofree char *last = g_build_filename(self->data, TAKE_LAST, NULL);
    g_autofree char *now = g_build_filename(self->data, TAKE_FOLDER, NULL);
    int lock = lock_takes(error);
    if (lock < 0)
        return FALSE;
    gboolean done = FALSE;
    if (access(last, F_OK) < 0)
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND, "branch '%s' has no take to undo",
                    self->branch);
    else
        done = discard_tree(now, error) && fs_write(record, self->name, -1, 0600, error) &&
               fs_rename(last, now, error) && undo_folder(self, TAKE_FOLDER, TRUE, error);
    /* An undo that has not begun leaves the copies where the next one looks for them. */
    if (!done && access(last, F_OK) < 0)
        rename(now, last);
    finish_record();
    close(lock);
    return done;
}
