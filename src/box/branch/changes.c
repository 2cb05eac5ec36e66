#include "box/branch/changes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/branch/branch_paths.h"
#include "box/branch/merge.h"
#include "box/branch/taken.h"
#include "box/registry/branch_upper.h"
#include "common/fs.h"
#include "common/text.h"

#define GIT ".git"

static void change_free(gpointer data)
{
    branch_change *self = data;
    if (!self)
        return;
    g_free(self->path);
    g_free(self);
}

void branch_changes_free(branch_changes *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->list);
    g_free(self);
}

void branch_changes_keep(branch_changes *self,
                         gboolean (*keep)(const branch_change *change, void *data), void *data)
{
    g_autoptr(GPtrArray) all = g_steal_pointer(&self->list);
    self->list = g_ptr_array_new_with_free_func(change_free);
    for (guint i = 0; i < all->len; i++)
        if (keep(all->pdata[i], data))
            g_ptr_array_add(self->list, g_steal_pointer(&all->pdata[i]));
}

/* The comparison. */

typedef struct {
    int upper, project;
    const branch_scan *how;
    branch_changes *result;
    GQueue folders; /* of folder_item: folders of the branch that are still to be compared */
    GQueue gone;    /* relative paths of folders of the host that the branch has removed */
} comparison;

typedef struct {
    char *path;
    gboolean hides; /* all of the host's folder that the branch has not */
} folder_item;

static void add_folder(comparison *self, const char *path, gboolean hides)
{
    folder_item *item = g_new(folder_item, 1);
    *item = (folder_item){g_strdup(path), hides};
    g_queue_push_tail(&self->folders, item);
}

static gboolean is_before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

/* By the change time, which no program can set. A folder's changes with each name in it. */
static gboolean has_moved_on(const comparison *self, const char *path, const struct stat *host)
{
    const branch_scan *how = self->how;
    return host->st_mode && !S_ISDIR(host->st_mode) &&
           !is_before(&host->st_ctim, how->since(how->data, path)) &&
           !(how->is_ours && how->is_ours(how->data, path, host));
}

unsigned branch_name_doubts(const settings *wanted, const char *path, gboolean is_there)
{
    return (branch_path_is_protected(wanted, path) ? BRANCH_PROTECTED : 0u) |
           (is_there && branch_path_has_controls(path) ? BRANCH_CONTROL : 0u);
}

void branch_changes_add(branch_changes *self, const settings *wanted, const branch_change *change)
{
    if (self->list->len >= BRANCH_CHANGES_MAX) {
        self->is_cut = TRUE;
        return;
    }
    branch_change *copy = g_memdup2(change, sizeof *change);
    copy->path = g_strdup(change->path);
    copy->doubts |= branch_name_doubts(wanted, copy->path, copy->after != 0);
    g_ptr_array_add(self->list, copy);
}

/* The host has at PATH what it had then, as after a checkout of another commit and back. Its rights
 * then are not known: AFTER must not change them. */
static gboolean is_as_then(const comparison *self, const char *path, const struct stat *host,
                           const struct stat *after)
{
    struct stat st;
    if (!S_ISREG(host->st_mode) || !self->how->is_then ||
        (after->st_mode &&
         branch_taken_rights(after->st_mode) != branch_taken_rights(host->st_mode)))
        return FALSE;
    int fd = fs_open_beneath(self->project, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    gboolean same = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
                    self->how->is_then(self->how->data, path, fd, &st) > 0;
    if (fd >= 0)
        close(fd);
    return same;
}

/* BEFORE and AFTER have st_mode 0 where there is nothing. */
static void add_change(comparison *self, const char *path, const struct stat *before,
                       const struct stat *after, unsigned doubts, gboolean twin_goes)
{
    if (!has_moved_on(self, path, before) || is_as_then(self, path, before, after))
        doubts &= ~(unsigned)BRANCH_MERGES;
    else
        doubts |= BRANCH_MOVED_ON;
    branch_change change = {.path = (char *)path,
                            .before = before->st_mode,
                            .after = after->st_mode,
                            .size = S_ISREG(after->st_mode) ? (gint64)after->st_size : 0,
                            .doubts = doubts,
                            .twin_goes = twin_goes};
    branch_changes_add(self->result, self->how->wanted, &change);
}

/* The host's PATH is gone in the branch, with all that is in it. */
static void add_gone(comparison *self, const char *path, const struct stat *host)
{
    static const struct stat nothing = {0};
    /* The branch has not seen it. */
    if (branch_path_is_in(self->how->wanted->project.hidden, path))
        return;
    add_change(self, path, host, &nothing, 0, FALSE);
    if (S_ISDIR(host->st_mode))
        g_queue_push_tail(&self->gone, g_strdup(path));
}

/* -1 with errno. */
static int open_folder(int top, const char *path)
{
    return fs_open_beneath(top, *path ? path : ".", O_RDONLY | O_DIRECTORY, 0);
}

static void list_gone(comparison *self, const char *path)
{
    int fd = open_folder(self->project, path);
    g_autoptr(GPtrArray) names = fd < 0 ? NULL : fs_list_names(fd, NULL);
    for (guint i = 0; names && i < names->len; i++) {
        struct stat st;
        g_autofree char *each = fs_join(path, names->pdata[i]);
        if (fstatat(fd, names->pdata[i], &st, AT_SYMLINK_NOFOLLOW) == 0)
            add_gone(self, each, &st);
    }
    if (fd >= 0)
        close(fd);
}

/* One folder of both sides. */
typedef struct {
    const char *path;
    int upper, host; /* host -1: there is none */
    gboolean hides;
    GPtrArray *gone;     /* names of UPPER that are whiteouts, sorted */
    branch_twins *twins; /* NULL: not needed so far */
} both;

static unsigned doubts_of_link(const comparison *self, const both *at, const char *name,
                               const char *path)
{
    char target[PATH_MAX];
    ssize_t length = readlinkat(at->upper, name, target, sizeof target - 1);
    if (length < 0)
        return BRANCH_UNREAD;
    target[length] = '\0';
    return branch_link_stays(self->project, self->how->project, path, target) ? 0 : BRANCH_LINK_OUT;
}

static gboolean has_twin(both *at, const GPtrArray *names, const char *name, gboolean *goes)
{
    if (!at->twins) {
        g_autoptr(GPtrArray) of_host = at->host < 0 ? NULL : fs_list_names(at->host, NULL);
        at->twins = branch_twins_find(names, at->gone, of_host, at->hides);
    }
    return branch_twins_has(at->twins, name, goes);
}

/* A copy has all folders: the host may have changed the rights of one since. */
static gboolean has_copied_rights(const comparison *self, const char *path,
                                  const struct stat *branch)
{
    const branch_copied *copied = self->how->copied;
    const copied_entry *entry = copied ? branch_copied_find(copied, path) : NULL;
    return entry && entry->mode == (branch->st_mode & (S_IFMT | 07777));
}

/* A folder of the branch: what is in it comes later. */
static void compare_folder(comparison *self, const both *at, const char *name, const char *path,
                           const struct stat *host, const struct stat *branch, unsigned doubts,
                           gboolean twin_goes)
{
    int fd = fs_open_beneath(at->upper, name, O_RDONLY | O_DIRECTORY, 0);
    gboolean hides = at->hides || (fd >= 0 && branch_upper_hides(self->how->copied, fd));
    gboolean is_copied = has_copied_rights(self, path, branch);
    gboolean rights =
        branch_taken_rights(host->st_mode) != branch_taken_rights(branch->st_mode) && !is_copied;
    if (fd < 0)
        doubts |= BRANCH_UNREAD;
    else
        close(fd);
    /* The host's alone: it could not be read then either, or is gone by now. */
    if (is_copied && (fd < 0 || (!S_ISDIR(host->st_mode) &&
                                 !branch_upper_has(self->how->copied, self->upper, path, FALSE))))
        return;
    if (!S_ISDIR(host->st_mode) || rights || fd < 0)
        add_change(self, path, host, branch, doubts, twin_goes);
    if (fd >= 0)
        add_folder(self, path, hides);
}

/* TRUE: the host has moved on with a file that the branch has as the host had it then. */
static gboolean compare_then(const comparison *self, const both *at, const char *name,
                             const char *path, const struct stat *host, const struct stat *ours,
                             unsigned *doubts)
{
    struct stat st, of_host;
    if (!S_ISREG(ours->st_mode) || !S_ISREG(host->st_mode) || !self->how->is_then ||
        !has_moved_on(self, path, host))
        return FALSE;
    int branch = fs_open_beneath(at->upper, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    int theirs = fs_open_beneath(at->host, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    int same = -1;
    if (branch >= 0 && theirs >= 0 && fstat(branch, &st) == 0 && fstat(theirs, &of_host) == 0)
        same = self->how->is_then(self->how->data, path, branch, &st);
    if (same == 0 && branch_is_text(branch, &st) && branch_is_text(theirs, &of_host) &&
        branch_taken_rights(st.st_mode) == branch_taken_rights(host->st_mode))
        *doubts |= BRANCH_MERGES;
    if (branch >= 0)
        close(branch);
    if (theirs >= 0)
        close(theirs);
    return same > 0 && branch_taken_rights(st.st_mode) == branch_taken_rights(host->st_mode);
}

/* Something that the branch has removed. Where the host has another kind of file by now, the copy
 * has never got that. */
static void compare_gone(comparison *self, const char *path, const struct stat *host)
{
    const branch_copied *copied = self->how->copied;
    const copied_entry *entry = copied ? branch_copied_find(copied, path) : NULL;
    if (host->st_mode && (!entry || (entry->mode & S_IFMT) == (host->st_mode & S_IFMT)))
        add_gone(self, path, host);
}

static void compare_entry(comparison *self, both *at, const GPtrArray *names, const char *name)
{
    struct stat branch, host = {0};
    g_autofree char *path = fs_join(at->path, name);
    if (at->host < 0 || fstatat(at->host, name, &host, AT_SYMLINK_NOFOLLOW) < 0)
        host.st_mode = 0;
    if (strcmp(path, GIT) == 0) {
        self->result->git =
            !self->how->copied || branch_upper_has(self->how->copied, self->upper, GIT, TRUE);
        return;
    }
    if (branch_twins_is_in(at->gone, name)) {
        compare_gone(self, path, &host);
        return;
    }
    if (fstatat(at->upper, name, &branch, AT_SYMLINK_NOFOLLOW) < 0)
        return;
    gboolean twin_goes = FALSE;
    unsigned doubts = !host.st_mode && has_twin(at, names, name, &twin_goes) ? BRANCH_TWIN : 0;
    if (S_ISDIR(host.st_mode) && !S_ISDIR(branch.st_mode))
        g_queue_push_tail(&self->gone, g_strdup(path));
    if (S_ISDIR(branch.st_mode)) {
        compare_folder(self, at, name, path, &host, &branch, doubts, twin_goes);
        return;
    }
    if (S_ISLNK(branch.st_mode))
        doubts |= doubts_of_link(self, at, name, path);
    else if (!S_ISREG(branch.st_mode))
        doubts |= BRANCH_SPECIAL;
    if (!(doubts & BRANCH_NEVER)) {
        int same = branch_is_same(at->upper, at->host, name, &branch, &host);
        if (same > 0)
            return;
        doubts |= same < 0 ? BRANCH_UNREAD : 0;
    }
    if (!compare_then(self, at, name, path, &host, &branch, &doubts))
        add_change(self, path, &host, &branch, doubts, twin_goes);
}

/* What the host has in a folder that the branch has made anew. */
static void list_hidden(comparison *self, const both *at, const GPtrArray *names)
{
    g_autoptr(GPtrArray) of_host = fs_list_names(at->host, NULL);
    for (guint i = 0; of_host && i < of_host->len; i++) {
        struct stat st;
        const char *name = of_host->pdata[i];
        g_autofree char *path = fs_join(at->path, name);
        if (!branch_twins_is_in(names, name) &&
            fstatat(at->host, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
            add_gone(self, path, &st);
    }
}

static void compare_folders(comparison *self, const folder_item *item)
{
    static const struct stat nothing = {0};
    g_autoptr(GPtrArray) gone = g_ptr_array_new_with_free_func(g_free);
    both at = {.path = item->path,
               .gone = gone,
               .upper = open_folder(self->upper, item->path),
               .host = open_folder(self->project, item->path),
               .hides = item->hides};
    g_autoptr(GPtrArray) names =
        at.upper < 0 ? NULL : branch_upper_names(self->how->copied, at.upper, item->path, gone);
    if (!names) {
        struct stat unknown = {.st_mode = S_IFDIR};
        add_change(self, item->path, &nothing, &unknown, BRANCH_UNREAD, FALSE);
    }
    for (guint i = 0; names && i < names->len; i++)
        compare_entry(self, &at, names, names->pdata[i]);
    if (names && at.hides && at.host >= 0)
        list_hidden(self, &at, names);
    branch_twins_free(at.twins);
    if (at.upper >= 0)
        close(at.upper);
    if (at.host >= 0)
        close(at.host);
}

static gint compare_paths(gconstpointer a, gconstpointer b)
{
    return strcmp((*(branch_change *const *)a)->path, (*(branch_change *const *)b)->path);
}

branch_changes *branch_changes_none(void)
{
    branch_changes *self = g_new0(branch_changes, 1);
    self->list = g_ptr_array_new_with_free_func(change_free);
    return self;
}

branch_changes *branch_changes_find(int upper, int project, const branch_scan *scan)
{
    branch_changes *result = branch_changes_none();
    comparison self = {.upper = upper,
                       .project = project,
                       .how = scan,
                       .result = result,
                       .folders = G_QUEUE_INIT,
                       .gone = G_QUEUE_INIT};
    add_folder(&self, "", FALSE);
    for (folder_item *item; (item = g_queue_pop_head(&self.folders));) {
        if (!result->is_cut)
            compare_folders(&self, item);
        g_free(item->path);
        g_free(item);
    }
    for (char *path; (path = g_queue_pop_head(&self.gone));) {
        if (!result->is_cut)
            list_gone(&self, path);
        g_free(path);
    }
    g_ptr_array_sort(result->list, compare_paths);
    return result;
}
