#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "box/branch/branch_paths.h"
#include "box/branch/take.h"
#include "box/registry/box.h"
#include "box/snapshot/manifest.h"
#include "box/snapshot/object_store.h"
#include "box/snapshot/restore.h"
#include "common/fs.h"
#include "common/interrupt.h"
#include "common/paths.h"
#include "common/text.h"
#include "console/log.h"

/* Lines for what stays as it is. */
#define KEPT_SHOWN_MAX 20

/* While a question waits, other snapshots do not. What is asked about has been copied by then. */
static object_store *held;
static restore_confirm ask;

static gboolean confirm_released(const char *question, GError **error)
{
    g_clear_pointer(&held, object_store_close);
    return ask(question, error);
}

static mode_t mode_of(const snapshot_entry *entry)
{
    static const mode_t kinds[] = {
        [SNAPSHOT_FILE] = S_IFREG, [SNAPSHOT_FOLDER] = S_IFDIR, [SNAPSHOT_LINK] = S_IFLNK};
    return entry ? kinds[entry->kind] | entry->mode : 0;
}

/* TRUE when PATH, which is not in the snapshot of what is there now, is there all the same: it
 * could not be read, or is a FIFO, say. It would be lost for good. */
static gboolean is_in_no_snapshot(int project, const char *path)
{
    int fd = fs_open_beneath(project, path, O_PATH | O_NOFOLLOW, 0);
    if (fd < 0)
        return errno == EACCES;
    close(fd);
    return TRUE;
}

static void warn_of_kept(const char *path, const restore_options *how, guint *kept)
{
    gboolean is_asked_for = !*how->paths || branch_path_is_in(how->paths, path);
    g_autofree char *safe = text_safe(path, -1);
    if (is_asked_for && (*kept)++ < KEPT_SHOWN_MAX)
        log_warning("'%s' stays as it is now: no snapshot has that, and it would be lost", safe);
}

/* FOUND as a take has it. */
static branch_changes *find_changes(const struct box *self, int project, const settings *wanted,
                                    const restore_options *how, const GArray *found)
{
    guint kept = 0;
    branch_changes *changes = branch_changes_none();
    for (guint i = 0; i < found->len; i++) {
        const snapshot_change *each = &g_array_index(found, snapshot_change, i);
        const snapshot_entry *after = each->after;
        if (!each->before && is_in_no_snapshot(project, after->path)) {
            warn_of_kept(after->path, how, &kept);
            continue;
        }
        branch_change change = {.path = (char *)(after ? after->path : each->before->path),
                                .before = mode_of(each->before),
                                .after = mode_of(after),
                                .size = after ? (gint64)after->size : 0};
        if (after && after->kind == SNAPSHOT_LINK &&
            !branch_link_stays(project, self->project, after->path, after->target))
            change.doubts = BRANCH_LINK_OUT;
        branch_changes_add(changes, wanted, &change);
    }
    return changes;
}

static gint compare_change_path(gconstpointer change, gconstpointer path)
{
    return strcmp((*(branch_change *const *)change)->path, *(const char *const *)path);
}

/* For restore_tree(): what has changed. */
static gboolean is_changed(void *data, const snapshot_entry *entry)
{
    const GPtrArray *list = ((branch_changes *)data)->list;
    const char *path = entry->path;
    for (guint low = 0, high = list->len; low < high;) {
        guint middle = low + (high - low) / 2;
        int order = compare_change_path(&list->pdata[middle], &path);
        if (order == 0)
            return TRUE;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return FALSE;
}

/* The files that CHANGES need, in an empty folder. A descriptor; -1 with ERROR. */
static int build_files(const snapshot_manifest *from, branch_changes *changes, GError **error)
{
    g_autofree char *path = paths_data(UNFINISHED_RESTORE);
    if (!discard_tree(path, error) || !fs_make_folder(path, 0700, error))
        return -1;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    log_step("reading the snapshot");
    interrupt_begin();
    gboolean done = folder >= 0 &&
                    restore_tree(folder, from, SNAPSHOT_PROJECT, held, is_changed, changes, error);
    interrupt_end();
    log_step_done();
    if (done || folder < 0)
        return folder;
    close(folder);
    return -1;
}

static gboolean take_files(const struct box *self, guint number, const snapshot_manifest *from,
                           branch_changes *changes, const restore_options *how, GError **error)
{
    g_autofree char *safe = text_safe(self->project, -1), *path = paths_data(UNFINISHED_RESTORE);
    g_autofree char *asks = g_strdup_printf("Restore this in '%s', from snapshot %u", safe, number);
    g_autofree char *nothing =
        g_strdup_printf("there is nothing to restore in '%s' from snapshot %u", safe, number);
    take_words words = {"stays as it is now", asks, nothing};
    branch_take_options take = {.paths = how->paths,
                                .allowed = how->allowed,
                                .overwrite = TRUE,
                                .confirm = confirm_released,
                                .words = &words};
    int folder = build_files(from, changes, error);
    gboolean done = folder >= 0 && branch_take_changes(self, folder, changes, &take, error);
    if (folder >= 0)
        close(folder);
    /* Another one may build there, once the store is released. */
    if (held)
        discard_tree(path, NULL);
    else
        restore_repair();
    return done;
}

/* With the store HELD. BEFORE is the snapshot of what is there now; *COUNT is the number of
 * changes. */
static gboolean restore_files(const struct box *self, guint number, guint before,
                              const settings *wanted, const restore_options *how, guint *count,
                              GError **error)
{
    g_autoptr(snapshot_manifest) from = snapshot_read(self, number, error);
    g_autoptr(snapshot_manifest) now = from ? snapshot_read(self, before, error) : NULL;
    int project = now ? fs_open_real(self->project, O_RDONLY | O_DIRECTORY) : -1;
    if (!now)
        return FALSE;
    if (project < 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot open the project: %s",
                    g_strerror(errno));
        return FALSE;
    }
    g_autoptr(GArray) found = snapshot_compare(now, from, SNAPSHOT_PROJECT);
    g_autoptr(branch_changes) changes = find_changes(self, project, wanted, how, found);
    close(project);
    gboolean done = take_files(self, number, from, changes, how, error);
    *count = changes->list->len;
    return done;
}

gboolean restore_project(const struct box *self, guint number, const settings *wanted,
                         const restore_options *how, guint *before, GError **error)
{
    snapshot_options save = {
        .parts = {FALSE, TRUE}, .reason = SNAPSHOT_BEFORE_RESTORE, .wanted = wanted};
    if (!snapshot_create(self, &save, before, error))
        return FALSE;
    ask = how->confirm;
    g_autoptr(GError) problem = NULL;
    held = object_store_open(&problem);
    guint count = 0;
    gboolean done = held && restore_files(self, number, *before, wanted, how, &count, &problem);
    g_clear_pointer(&held, object_store_close);
    if (done && count)
        return TRUE;
    /* When nothing was changed, as after a no, nobody needs it. */
    if (done || g_error_matches(problem, BOX_ERROR, BOX_ERROR_CANCELLED) ||
        g_error_matches(problem, BOX_ERROR, BOX_ERROR_USAGE)) {
        snapshot_take_back(self, *before, NULL);
        *before = 0;
    }
    if (problem)
        g_propagate_error(error, g_steal_pointer(&problem));
    return done;
}
