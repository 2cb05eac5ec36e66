#include "box/lifecycle/copy_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/interrupt.h"
#include "common/units.h"
#include "console/log.h"

#define TEMPORARY "new"
/* How often it says how far it is. */
#define SAY_EVERY_US (3 * G_USEC_PER_SEC)
/* Bytes of a file that is compared with the host's. */
#define COMPARED_MAX ((gint64)64 << 20)
/* Of the change time: two changes may have the same one. */
#define CLOCK_TICK_S 1

/* A folder of both sides. */
typedef struct {
    char *path;
    gboolean is_new;
    mode_t mode, final; /* that it has in the copy, and gets in the end */
    struct timespec changed;
} folder_item;

typedef struct {
    copy_tree *to;
    GPtrArray *folders; /* of folder_item, one before what is in it; all of them stay until the end
                         */
    gint64 say_at;
    time_t began;
} walk;

typedef struct {
    const char *path;
    int from, to;
    GHashTable *seen; /* names of FROM that the branch may see */
} both;

static void folder_item_free(gpointer data)
{
    folder_item *self = data;
    g_free(self->path);
    g_free(self);
}

/* What cannot be opened is no reason to have no branch. */
static gboolean is_unreadable(int problem)
{
    return problem == EACCES || problem == EPERM || problem == ENOENT || problem == ENOTDIR ||
           problem == ELOOP || problem == ENXIO || problem == ENAMETOOLONG;
}

static gboolean is_hidden(const copy_tree *self, const char *path)
{
    for (char *const *hidden = self->hidden; hidden && *hidden; hidden++)
        if (fs_is_below(path, *hidden))
            return TRUE;
    return FALSE;
}

/* PATH stays what it is in the copy. */
static gboolean leave_entry(walk *self, const char *path)
{
    self->to->left++;
    branch_copied_carry(self->to->now, self->to->old, path);
    return TRUE;
}

/* PATH could not be made. Root of the box may have given the folder to another user. */
static gboolean leave_or_fail(walk *self, const char *path, GError **error)
{
    gboolean is_foreign = !self->to->is_first && (errno == EACCES || errno == EPERM);
    return is_foreign ? leave_entry(self, path) : fs_fail(error, "copy", path);
}

/* The list gets NAME, which was made from HOST. */
static gboolean note(walk *self, const both *at, const char *name, const char *path,
                     const struct stat *host, GError **error)
{
    struct stat st;
    if (fstatat(at->to, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return fs_fail(error, "copy", path);
    copied_entry entry = {.mode = st.st_mode,
                          .inode = st.st_ino,
                          .size = st.st_size,
                          .changed = st.st_ctim,
                          .host_inode = host->st_ino,
                          .host_changed = host->st_ctim};
    /* It may have changed again without a sign of it: the next start copies it again. */
    if (host->st_ctim.tv_sec + CLOCK_TICK_S >= self->began)
        entry.host_inode = 0;
    branch_copied_add(self->to->now, path, &entry);
    return TRUE;
}

/* Takes the name away from what the host's will replace. */
static gboolean place(walk *self, const both *at, const char *name, gboolean done)
{
    if (self->to->is_first || (done && renameat(self->to->part, TEMPORARY, at->to, name) == 0))
        return done;
    int saved = errno;
    unlinkat(self->to->part, TEMPORARY, 0);
    errno = saved;
    return FALSE;
}

static gboolean write_copy(walk *self, const both *at, const char *name, int from,
                           const struct stat *st)
{
    gboolean is_first = self->to->is_first;
    struct timespec times[] = {st->st_atim, st->st_mtim};
    int to = openat(is_first ? at->to : self->to->part, is_first ? name : TEMPORARY,
                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    gboolean done = to >= 0 && fs_copy_contents(from, to) && fchmod(to, st->st_mode & 0777) == 0 &&
                    futimens(to, times) == 0;
    int saved = errno;
    if (to >= 0 && close(to) < 0 && done) {
        saved = errno;
        done = FALSE;
    }
    errno = saved;
    return place(self, at, name, done);
}

static gboolean copy_file(walk *self, const both *at, const char *name, const char *path,
                          GError **error)
{
    struct stat st;
    int from = fs_open_beneath(at->from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    if (from < 0)
        return is_unreadable(errno) ? leave_entry(self, path) : fs_fail(error, "copy", path);
    gboolean is_file = fstat(from, &st) == 0 && S_ISREG(st.st_mode);
    gboolean done = is_file && write_copy(self, at, name, from, &st);
    int saved = errno;
    close(from);
    errno = saved;
    if (!done)
        return is_file ? leave_or_fail(self, path, error) : leave_entry(self, path);
    self->to->files++;
    self->to->bytes += st.st_size;
    return note(self, at, name, path, &st, error);
}

static gboolean copy_link(walk *self, const both *at, const char *name, const char *path,
                          const struct stat *host, GError **error)
{
    char target[PATH_MAX];
    gboolean is_first = self->to->is_first;
    ssize_t length = readlinkat(at->from, name, target, sizeof target - 1);
    if (length < 0)
        return leave_entry(self, path); /* it has just changed */
    target[length] = '\0';
    gboolean done =
        symlinkat(target, is_first ? at->to : self->to->part, is_first ? name : TEMPORARY) == 0;
    if (!place(self, at, name, done))
        return leave_or_fail(self, path, error);
    self->to->files++;
    return note(self, at, name, path, host, error);
}

static void add_folder(walk *self, const char *path, const struct stat *host, gboolean is_new,
                       mode_t mode, mode_t final)
{
    folder_item *item = g_new(folder_item, 1);
    *item = (folder_item){g_strdup(path), is_new, mode & 07777, final & 07777, host->st_mtim};
    g_ptr_array_add(self->folders, item);
}

static mode_t folder_rights(const struct stat *host)
{
    return host->st_mode & 0777;
}

static gboolean make_folder(walk *self, const both *at, const char *name, const char *path,
                            const struct stat *host, GError **error)
{
    copied_entry entry = {.mode = S_IFDIR | folder_rights(host)};
    if (mkdirat(at->to, name, 0700) < 0 ||
        (!self->to->is_first && fchmodat(at->to, name, folder_rights(host) | 0700, 0) < 0))
        return leave_or_fail(self, path, error);
    branch_copied_add(self->to->now, path, &entry);
    add_folder(self, path, host, TRUE, 0700, folder_rights(host));
    return TRUE;
}

/* The host's folder is one of the branch's, too, perhaps by an update that was killed. What it does
 * not let us change we open for the time being. */
static gboolean enter_folder(walk *self, const both *at, const char *name, const char *path,
                             const struct stat *host, const struct stat *own, GError **error)
{
    const copied_entry *old = branch_copied_find(self->to->old, path);
    copied_entry entry = {.mode = old && S_ISDIR(old->mode) ? old->mode
                                                            : S_IFDIR | folder_rights(host)};
    gboolean is_own = (entry.mode & 07777) != (own->st_mode & 07777);
    mode_t final = is_own ? own->st_mode : folder_rights(host), mode = own->st_mode;
    if ((mode & 0700) != 0700) {
        mode |= 0700;
        if (fchmodat(at->to, name, mode & 07777, 0) < 0)
            return leave_or_fail(self, path, error);
    }
    if (!is_own)
        entry.mode = S_IFDIR | final;
    branch_copied_add(self->to->now, path, &entry);
    add_folder(self, path, host, FALSE, mode, final);
    return TRUE;
}

static gboolean make_entry(walk *self, const both *at, const char *name, const char *path,
                           const struct stat *host, GError **error)
{
    if (S_ISREG(host->st_mode))
        return copy_file(self, at, name, path, error);
    if (S_ISLNK(host->st_mode))
        return copy_link(self, at, name, path, host, error);
    return !S_ISDIR(host->st_mode) || make_folder(self, at, name, path, host, error);
}

/* Removes what is the host's of PATH, which is NAME in the open folder TO. FALSE: some of it stays,
 * as root of the box may have given a folder to another user; and in the list, too, as it is no
 * work of the branch's. */
static gboolean remove_copied(walk *self, int to, const char *name, const char *path)
{
    struct stat st;
    const copied_entry *entry = branch_copied_find(self->to->old, path);
    if (!entry || fstatat(to, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !copied_entry_is(entry, &st))
        return TRUE;
    const GPtrArray *names = branch_copied_names(self->to->old, path);
    gboolean is_folder = S_ISDIR(st.st_mode), done = TRUE;
    int folder = is_folder ? fs_open_beneath(to, name, O_RDONLY | O_DIRECTORY, 0) : -1;
    if (is_folder && folder < 0) {
        branch_copied_carry(self->to->now, self->to->old, path);
        return FALSE;
    }
    if (is_folder && (st.st_mode & 0700) != 0700)
        fchmod(folder, (st.st_mode & 07777) | 0700);
    for (guint i = 0; is_folder && names && i < names->len; i++) {
        g_autofree char *each = fs_join(path, names->pdata[i]);
        done &= remove_copied(self, folder, names->pdata[i], each);
    }
    if (folder >= 0)
        close(folder);
    /* What the branch has in it stays. */
    done = (unlinkat(to, name, is_folder ? AT_REMOVEDIR : 0) == 0 || errno == ENOTEMPTY) && done;
    if (!done)
        branch_copied_add(self->to->now, path, entry);
    return done;
}

/* The branch has the host's file: after a take, or of an update that was killed. A box may have
 * made large ones. */
static gboolean is_same_file(const both *at, const char *name, const struct stat *host,
                             const struct stat *own)
{
    if (!S_ISREG(host->st_mode) || !S_ISREG(own->st_mode) || host->st_size != own->st_size ||
        host->st_size > COMPARED_MAX || ((host->st_mode ^ own->st_mode) & 0777))
        return FALSE;
    int theirs = fs_open_beneath(at->from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    int ours = fs_open_beneath(at->to, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    gboolean same = theirs >= 0 && ours >= 0 && fs_same_contents(theirs, ours);
    if (theirs >= 0)
        close(theirs);
    if (ours >= 0)
        close(ours);
    return same;
}

/* What NAME of the host becomes in the copy, where the branch may have its own. */
static gboolean update_entry(walk *self, const both *at, const char *name, const char *path,
                             const struct stat *host, GError **error)
{
    struct stat own;
    const copied_entry *entry = branch_copied_find(self->to->old, path);
    gboolean is_there = fstatat(at->to, name, &own, AT_SYMLINK_NOFOLLOW) == 0;
    gboolean is_kind = entry && (entry->mode & S_IFMT) == (host->st_mode & S_IFMT);
    if (!is_there && !is_kind)
        return make_entry(self, at, name, path, host, error);
    if (is_there && S_ISDIR(host->st_mode) && S_ISDIR(own.st_mode))
        return enter_folder(self, at, name, path, host, &own, error);
    if (is_there && entry && copied_entry_is(entry, &own)) {
        if (copied_entry_is_of(entry, host)) {
            branch_copied_add(self->to->now, path, entry);
            return TRUE;
        }
        if (!is_kind)
            remove_copied(self, at->to, name, path);
        /* What the branch has in such a folder stays. */
        if (is_kind || fstatat(at->to, name, &own, AT_SYMLINK_NOFOLLOW) < 0)
            return make_entry(self, at, name, path, host, error);
        return TRUE;
    }
    if (is_there && is_same_file(at, name, host, &own))
        return note(self, at, name, path, host, error);
    branch_copied_carry(self->to->now, self->to->old, path);
    return TRUE;
}

static void say_progress(walk *self)
{
    if (g_get_monotonic_time() < self->say_at)
        return;
    g_autofree char *size = units_format_size(self->to->bytes);
    log_step("copied %u files, %s", self->to->files, size);
    self->say_at = g_get_monotonic_time() + SAY_EVERY_US;
}

static gboolean copy_entry(walk *self, both *at, const char *name, GError **error)
{
    struct stat host;
    g_autofree char *path = fs_join(at->path, name);
    if (!interrupt_check(error))
        return FALSE;
    if (is_hidden(self->to, path) || fstatat(at->from, name, &host, AT_SYMLINK_NOFOLLOW) < 0)
        return TRUE;
    g_hash_table_add(at->seen, (gpointer)name);
    say_progress(self);
    return self->to->is_first ? make_entry(self, at, name, path, &host, error)
                              : update_entry(self, at, name, path, &host, error);
}

/* What the host has no more, or is hidden by now. */
static void remove_missing(walk *self, const both *at)
{
    const GPtrArray *names = branch_copied_names(self->to->old, at->path);
    for (guint i = 0; names && i < names->len; i++) {
        g_autofree char *path = fs_join(at->path, names->pdata[i]);
        if (!g_hash_table_contains(at->seen, names->pdata[i]))
            remove_copied(self, at->to, names->pdata[i], path);
    }
}

static int open_at(int top, const char *path)
{
    return fs_open_beneath(top, *path ? path : ".", O_RDONLY | O_DIRECTORY, 0);
}

static gboolean copy_folder(walk *self, const char *path, GError **error)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    both at = {path, open_at(self->to->from, path), open_at(self->to->to, path), seen};
    gboolean done = at.to >= 0 || is_unreadable(errno) || fs_fail(error, "copy", path);
    g_autoptr(GPtrArray) names = at.from < 0 || at.to < 0 ? NULL : fs_list_names(at.from, NULL);
    if (!names && done)
        leave_entry(self, path);
    for (guint i = 0; names && done && i < names->len; i++)
        done = copy_entry(self, &at, names->pdata[i], error);
    if (names && done)
        remove_missing(self, &at);
    if (at.from >= 0)
        close(at.from);
    if (at.to >= 0)
        close(at.to);
    return done;
}

/* The rights and times of folders, from the innermost on: they may not let us in. */
static gboolean finish_folders(const walk *self, GError **error)
{
    for (guint i = self->folders->len; i-- > 0;) {
        const folder_item *item = self->folders->pdata[i];
        struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, item->changed};
        if (!item->is_new && item->mode == item->final)
            continue;
        int fd = open_at(self->to->to, item->path);
        gboolean done =
            fd >= 0 && (!item->is_new || futimens(fd, times) == 0) && fchmod(fd, item->final) == 0;
        if (fd >= 0)
            close(fd);
        if (!done && !is_unreadable(errno))
            return fs_fail(error, "copy", item->path);
    }
    return TRUE;
}

gboolean copy_tree_run(copy_tree *self, GError **error)
{
    struct stat host, own;
    g_autoptr(GPtrArray) folders = g_ptr_array_new_with_free_func(folder_item_free);
    walk at = {self, folders, g_get_monotonic_time() + SAY_EVERY_US, time(NULL)};
    if (fstat(self->from, &host) < 0 || fstat(self->to, &own) < 0)
        return fs_fail(error, "copy", ".");
    add_folder(&at, "", &host, self->is_first, own.st_mode,
               self->is_first ? folder_rights(&host) : own.st_mode);
    gboolean done = TRUE;
    for (guint i = 0; done && i < folders->len; i++)
        done = copy_folder(&at, ((const folder_item *)folders->pdata[i])->path, error);
    return finish_folders(&at, done ? error : NULL) && done;
}
