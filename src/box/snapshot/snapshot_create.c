#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "box/branch/branch_paths.h"
#include "box/branch/branch_view.h"
#include "box/lifecycle/container.h"
#include "box/registry/branch_names.h"
#include "box/snapshot/compare.h"
#include "box/snapshot/snapshot_scan.h"
#include "box/snapshot/tree_scan.h"
#include "common/fs.h"
#include "common/interrupt.h"
#include "common/text.h"
#include "console/log.h"

#define SECOND 1000000000LL
/* The kernel's clock of file times lags behind by some milliseconds. */
#define SETTLED (1 * SECOND)
/* A page that a program has mapped can be written without a new time until the kernel has written
 * it to the disk, which it does within 35 seconds. */
#define SETTLED_RUNNING (60 * SECOND)

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

static gboolean runs(const struct box *self)
{
    int fd = box_connect(self);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

gboolean snapshot_is_in_use(const struct box *self)
{
    g_auto(GStrv) names = branch_names(self->name);
    gboolean in_use = runs(self);
    for (char **name = names; !in_use && *name; name++) {
        g_autoptr(box) branch = branch_find(self, *name, NULL);
        in_use = branch && !branch->isolated && runs(branch);
    }
    return in_use;
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

/* The newest snapshot that has PART; NULL. */
static snapshot_manifest *find_before(const struct box *self, enum snapshot_part part)
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

static gboolean scan_part(const struct box *self, enum snapshot_part part,
                          const snapshot_options *how, object_store *store, snapshot_manifest *into,
                          GError **error)
{
    int folder = open_part(self, part, error);
    if (folder < 0)
        return FALSE;
    g_autoptr(snapshot_manifest) before = find_before(self, part);
    tree_scan scan = {.folder = folder,
                      .part = part,
                      .skips = part == SNAPSHOT_PROJECT ? skips : NULL,
                      .data = (void *)how->wanted,
                      .before = before,
                      .quiet = how->reason == SNAPSHOT_AUTO,
                      .store = store};
    gboolean done = tree_scan_run(&scan, into, error);
    close(folder);
    return done;
}

snapshot_manifest *snapshot_scan(const struct box *self, const snapshot_options *how,
                                 object_store *store, GError **error)
{
    g_autoptr(snapshot_manifest) into = snapshot_manifest_new();
    gint64 now = g_get_real_time() * 1000;
    snapshot_header *header = &into->header;
    header->time = now / SECOND;
    header->running = snapshot_is_in_use(self);
    header->settled = now - (header->running ? SETTLED_RUNNING : SETTLED);
    header->reason = how->reason;
    header->note = g_strdup(how->note ? how->note : "");
    for (int part = 0; part < SNAPSHOT_PARTS; part++)
        if (how->parts[part] && !scan_part(self, (enum snapshot_part)part, how, store, into, error))
            return NULL;
    snapshot_manifest_sort(into);
    return g_steal_pointer(&into);
}

/* The newest snapshot has all that MADE has. */
static gboolean is_known(const struct box *self, const snapshot_manifest *made)
{
    for (int part = 0; part < SNAPSHOT_PARTS; part++) {
        if (!made->header.has[part])
            continue;
        g_autoptr(snapshot_manifest) last = find_before(self, (enum snapshot_part)part);
        g_autoptr(GArray) changes =
            last ? snapshot_compare(last, made, (enum snapshot_part)part) : NULL;
        if (!changes || changes->len)
            return FALSE;
    }
    return TRUE;
}

static gboolean create(const struct box *self, const snapshot_options *how, object_store *store,
                       guint *number, GError **error)
{
    g_autoptr(snapshot_manifest) made = snapshot_scan(self, how, store, error);
    *number = 0;
    if (made && how->reason == SNAPSHOT_AUTO && is_known(self, made))
        return TRUE;
    if (!made || !object_store_publish(store, error) || !interrupt_check(error) ||
        !snapshot_write(self, made, number, error))
        return FALSE;
    if (made->header.running && how->reason != SNAPSHOT_AUTO)
        log_note("programs of box '%s' ran meanwhile, and were not paused: what they wrote in the "
                 "same moment may be there in part",
                 self->name);
    return TRUE;
}

gboolean snapshot_create(const struct box *self, const snapshot_options *how, guint *number,
                         GError **error)
{
    g_autoptr(object_store) store = object_store_open(error);
    if (!store)
        return FALSE;
    interrupt_begin();
    log_step("making a snapshot of box '%s'", self->name);
    gboolean done = create(self, how, store, number, error);
    log_step_done();
    interrupt_end();
    return done;
}

snapshot_manifest *snapshot_now(const struct box *self, const snapshot_options *how, GError **error)
{
    g_autoptr(object_store) store = object_store_open(error);
    if (!store)
        return NULL;
    interrupt_begin();
    log_step("reading what is there now");
    snapshot_manifest *now = snapshot_scan(self, how, store, error);
    log_step_done();
    interrupt_end();
    return now;
}
