/*
 * The new home is built in data/boxes/.restoring, which no box can be called, with the lock of the
 * store. Before the exchange that folder holds what is of no use, and after it the old home, which
 * is in a snapshot: whenever a kill comes, it can be removed.
 */
#include "box/snapshot/restore.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/lifecycle/home_lock.h"
#include "box/lifecycle/lifecycle.h"
#include "box/registry/box.h"
#include "box/snapshot/object_store.h"
#include "common/fs.h"
#include "common/interrupt.h"
#include "common/paths.h"
#include "console/log.h"

static gboolean fail_home(const char *what, GError **error)
{
    int saved = errno;
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot restore the home: %s: %s", what,
                g_strerror(saved));
    return FALSE;
}

/* Saves what is there. What cannot be in a snapshot is lost only after a yes for that. */
static gboolean save_home(const struct box *self, const settings *wanted, restore_confirm confirm,
                          guint *before, GError **error)
{
    snapshot_options how = {
        .parts = {TRUE, FALSE}, .reason = SNAPSHOT_BEFORE_RESTORE, .wanted = wanted};
    snapshot_header header;
    if (!snapshot_create(self, &how, before, error) ||
        !snapshot_read_header(self, *before, &header, error))
        return FALSE;
    guint64 left_out = header.sum[SNAPSHOT_HOME].left_out;
    snapshot_header_clear(&header);
    g_autofree char *question = g_strdup_printf(
        "%" G_GUINT64_FORMAT " of the home's files, named above, can be in no snapshot, and would "
        "be lost for good. Go on?",
        left_out);
    return !left_out || confirm(question, error);
}

/* Builds the home in the folder FOLDER. */
static gboolean build_home(int folder, const struct box *self, guint number, object_store *store,
                           GError **error)
{
    struct stat old;
    g_autoptr(snapshot_manifest) from = snapshot_read(self, number, error);
    if (!from)
        return FALSE;
    if (mkdirat(folder, "home", 0700) < 0)
        return fail_home(UNFINISHED_RESTORE, error);
    int home = openat(folder, "home", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    mode_t mode = stat(self->home, &old) == 0 ? (old.st_mode & 0777) | S_IRWXU : 0700;
    gboolean done = home >= 0 && restore_tree(home, from, SNAPSHOT_HOME, store, NULL, NULL, error);
    if (done && (fchmod(home, mode) < 0 || syncfs(home) < 0))
        done = fail_home(self->home, error);
    if (home >= 0)
        close(home);
    return done;
}

static gboolean exchange_home(int folder, const struct box *self, GError **error)
{
    int data = open(self->data, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int home = open(self->home, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    /* To move a folder one must be able to write it. */
    if (home >= 0 && fstat(home, &st) == 0)
        fchmod(home, (st.st_mode & 0777) | S_IRWXU);
    gboolean done =
        data >= 0 && renameat2(folder, "home", data, "home", home < 0 ? 0 : RENAME_EXCHANGE) == 0;
    if (done)
        (void)fsync(data);
    else
        fail_home(self->home, error);
    if (home >= 0)
        close(home);
    if (data >= 0)
        close(data);
    return done;
}

/* With the store, and what is aside removed. */
static gboolean replace_home(const char *path, const struct box *self, guint number,
                             object_store *store, GError **error)
{
    if (!fs_make_folder(path, 0700, error))
        return FALSE;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    interrupt_begin();
    gboolean done = build_home(folder, self, number, store, error) && interrupt_check(error);
    interrupt_end();
    done = done && exchange_home(folder, self, error);
    if (folder >= 0)
        close(folder);
    return done;
}

/* With the lock of SELF, and its home held. */
static gboolean restore_locked(const struct box *self, guint number, const settings *wanted,
                               podman_client *server, restore_confirm confirm, guint *before,
                               GError **error)
{
    g_autoptr(GError) left = NULL;
    g_autofree char *path = paths_data(UNFINISHED_RESTORE);
    if (!box_check_branches_stopped(self, TRUE, "is running with this home", error) ||
        !box_stop(self, server, error))
        return FALSE;
    if (access(self->home, F_OK) == 0 && !save_home(self, wanted, confirm, before, error))
        return FALSE;
    g_autoptr(object_store) store = object_store_open(error);
    if (!store || !discard_tree(path, error))
        return FALSE;
    log_step("restoring the home of box '%s'", self->name);
    gboolean done = replace_home(path, self, number, store, error);
    if (!discard_tree(path, &left))
        log_warning("the home as it was is still on the disk: %s", left->message);
    log_step_done();
    return done;
}

gboolean restore_home(const struct box *self, guint number, const settings *wanted,
                      podman_client *server, restore_confirm confirm, guint *before, GError **error)
{
    int lock = box_lock_registered(self, error);
    if (lock < 0)
        return FALSE;
    *before = 0;
    g_auto(held_home) home = HELD_HOME_NONE;
    gboolean done = home_hold(&home, self, error) &&
                    restore_locked(self, number, wanted, server, confirm, before, error);
    close(lock);
    return done;
}

void restore_repair(void)
{
    g_autoptr(GError) problem = NULL;
    g_autofree char *path = paths_data(UNFINISHED_RESTORE), *store = paths_data(OBJECT_STORE_LOCK);
    int lock = access(path, F_OK) == 0 ? fs_try_lock(store) : -1;
    if (lock < 0)
        return;
    if (!discard_tree(path, &problem))
        log_warning("what a killed 'box snapshot restore' has left is still there: %s",
                    problem->message);
    close(lock);
}
