#include "box/snapshot/snapshot_scan.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "box/branch/branch_paths.h"
#include "box/registry/branch.h"
#include "box/registry/branch_names.h"
#include "box/session/connection.h"
#include "box/session/freeze.h"
#include "box/session/placeholder_files.h"
#include "common/fs.h"
#include "common/text.h"

#define SECOND 1000000000LL
/* The kernel's clock of file times lags behind by some milliseconds. */
#define SETTLED (1 * SECOND)
/* A page that a program has mapped can be written without a new time until the kernel has written
 * it to the disk, which it does within 35 seconds. */
#define SETTLED_RUNNING (60 * SECOND)
/* A box stands still for no longer. What takes more than the first has been read by then, so that
 * the second pass reads only what has changed since. Less than the patience of 'box stop'. */
#define FIRST_PAUSE_MS 1000
#define SECOND_PAUSE_MS 4000

/* Where a part is read. -1 with ERROR. */
static int open_part(const struct box *self, enum snapshot_part part, GError **error)
{
    const char *path = part == SNAPSHOT_HOME ? self->home : self->project;
    int fd = part == SNAPSHOT_HOME ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                                   : fs_open_real(path, O_RDONLY | O_DIRECTORY);
    if (fd >= 0)
        return fd;
    g_autofree char *safe = text_safe(path, -1);
    if (part == SNAPSHOT_HOME && errno == ENOENT)
        g_set_error(error, BOX_ERROR, BOX_ERROR_STATE,
                    "box '%s' was never started: there is no home", self->name);
    else
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot open '%s': %s", safe,
                    g_strerror(errno));
    return -1;
}

static void add_init(GArray *inits, const struct box *of)
{
    pid_t init = box_find_init(of);
    if (init)
        g_array_append_val(inits, init);
}

GArray *snapshot_find_inits(const struct box *self, gboolean with_branches)
{
    GArray *inits = g_array_new(FALSE, FALSE, sizeof(pid_t));
    g_auto(GStrv) names = branch_names(self->name);
    add_init(inits, self);
    for (char **name = names; with_branches && *name; name++) {
        g_autoptr(box) branch = branch_find(self, *name, NULL);
        if (branch && !branch->isolated)
            add_init(inits, branch);
    }
    return inits;
}

gboolean snapshot_none_started(const GArray *before, const GArray *later)
{
    guint known = 0;
    for (guint i = 0; i < later->len; i++)
        for (guint k = 0; k < before->len; k++)
            known += g_array_index(later, pid_t, i) == g_array_index(before, pid_t, k);
    return known == later->len;
}

static gboolean is_git(const char *path)
{
    const char *slash = strrchr(path, '/');
    return g_ascii_strcasecmp(slash ? slash + 1 : path, ".git") == 0;
}

/* Of the project. DATA: the settings. */
static gboolean skips(void *data, const char *path)
{
    const settings *wanted = data;
    return is_git(path) || branch_path_is_in(wanted->project.hidden, path);
}

snapshot_manifest *snapshot_find_last(const struct box *self, enum snapshot_part part)
{
    g_autoptr(GArray) numbers = snapshot_numbers(self);
    for (guint i = numbers->len; i-- > 0;) {
        snapshot_header header;
        guint number = g_array_index(numbers, guint, i);
        if (!snapshot_read_header(self, number, &header, NULL))
            continue;
        gboolean has = header.has[part];
        snapshot_header_clear(&header);
        if (has)
            return snapshot_read(self, number, NULL);
    }
    return NULL;
}

static gboolean scan_part(const struct box *self, const snapshot_options *how, tree_scan *scan,
                          snapshot_manifest *into, GError **error)
{
    scan->folder = open_part(self, scan->part, error);
    if (scan->folder < 0)
        return FALSE;
    g_autoptr(snapshot_manifest) last = scan->before ? NULL : snapshot_find_last(self, scan->part);
    if (last)
        scan->before = last;
    if (scan->part == SNAPSHOT_PROJECT) {
        scan->skips = skips;
        scan->data = (void *)how->wanted;
    }
    gboolean done = tree_scan_run(scan, into, error);
    close(scan->folder);
    return done;
}

/*
 * A placeholder_file_visitor: takes the placeholder of a secret out of a snapshot. The first
 * session after each start writes those that are wanted. An earlier one would come back with the
 * home, when it is worth nothing and no record says that it may be removed.
 */
static void leave_out(void *data, const char *path, const char *text)
{
    snapshot_manifest *from = data;
    GArray *entries = from->entries[SNAPSHOT_HOME];
    const snapshot_entry *found = snapshot_manifest_find(from, SNAPSHOT_HOME, path);
    object_id id;
    object_id_of(text, strlen(text), &id);
    if (!found || found->kind != SNAPSHOT_FILE || !object_id_equal(&id, &found->object))
        return;
    from->header.sum[SNAPSHOT_HOME].entries--;
    from->header.sum[SNAPSHOT_HOME].bytes -= found->size;
    g_array_remove_index(entries, (guint)(found - (const snapshot_entry *)(void *)entries->data));
}

snapshot_manifest *snapshot_scan(const struct box *self, const snapshot_options *how,
                                 object_store *store, const snapshot_manifest *before,
                                 GPtrArray *notes, GError **error)
{
    g_autoptr(snapshot_manifest) into = snapshot_manifest_new();
    g_autoptr(GArray) inits = snapshot_find_inits(self, TRUE);
    gint64 now = g_get_real_time() * 1000;
    snapshot_header *header = &into->header;
    header->time = now / SECOND;
    header->running = inits->len > 0;
    header->settled = now - (header->running ? SETTLED_RUNNING : SETTLED);
    header->reason = how->reason;
    header->note = g_strdup(how->note ? how->note : "");
    for (int part = 0; part < SNAPSHOT_SYSTEM; part++) {
        tree_scan scan = {
            .part = (enum snapshot_part)part, .before = before, .store = store, .notes = notes};
        if (how->parts[part] && !scan_part(self, how, &scan, into, error))
            return NULL;
    }
    snapshot_manifest_sort(into);
    placeholder_files_each(self, leave_out, into);
    return g_steal_pointer(&into);
}

/* *PAUSED: programs were, at least at the begin. */
static snapshot_manifest *scan_once(const struct box *self, const snapshot_options *how,
                                    object_store *store, const snapshot_manifest *before,
                                    int limit_ms, gboolean *paused, GPtrArray *notes,
                                    GError **error)
{
    g_autoptr(GArray) inits = snapshot_find_inits(self, TRUE);
    freeze *held = inits->len ? freeze_begin(inits, limit_ms) : NULL;
    *paused = held != NULL;
    snapshot_manifest *made = snapshot_scan(self, how, store, before, notes, error);
    gboolean to_the_end = freeze_end(held);
    if (!made)
        return NULL;
    g_autoptr(GArray) later = snapshot_find_inits(self, TRUE);
    made->header.running = inits->len || later->len;
    made->header.paused = to_the_end && snapshot_none_started(inits, later);
    return made;
}

snapshot_manifest *snapshot_scan_paused(const struct box *self, const snapshot_options *how,
                                        object_store *store, GPtrArray *notes, GError **error)
{
    gboolean paused;
    g_autoptr(snapshot_manifest) first =
        scan_once(self, how, store, NULL, FIRST_PAUSE_MS, &paused, notes, error);
    if (!first || !paused || first->header.paused)
        return g_steal_pointer(&first);
    g_ptr_array_set_size(notes, 0);
    snapshot_manifest *second =
        scan_once(self, how, store, first, SECOND_PAUSE_MS, &paused, notes, error);
    for (int part = 0; second && part < SNAPSHOT_PARTS; part++)
        second->header.sum[part].stored += first->header.sum[part].stored;
    return second;
}
