
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest/guard/answer.h"
#include "guest/guard/git_file.h"
#include "guest/guard/gitfile.h"
#include "guest/guard/protection.h"
#include "guest/guard/shared_memory.h"
#include "guest/guard/umask.h"

/* Files that are being written at a time; the oldest is given up. */
#define DRAFTS_MAX 32

struct draft {
    int is_used;
    int folder;  /* O_PATH */
    int written; /* in memory */
    int watch;   /* of inotify */
    pid_t writer;
    mode_t mode;
    enum gitfile_kind kind;
    char name[NAME_MAX + 1];
};

/* All workers share their descriptors. */
static struct {
    pthread_mutex_t lock;
    atomic_int count;
    struct draft all[DRAFTS_MAX];
    unsigned oldest;
} * drafts;
static int draft_closings; /* an inotify descriptor */
static struct guard_request draft_request;

int guard_gitfile_begin(const struct guard_request *common)
{
    draft_request = *common;
    drafts = shared_memory_new(sizeof *drafts);
    if (!drafts)
        return -1;
    shared_memory_lock_init(&drafts->lock);
    draft_closings = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    return draft_closings;
}

/* From here on with the lock held. */

static void forget_draft(struct draft *self)
{
    inotify_rm_watch(draft_closings, self->watch);
    close(self->folder);
    close(self->written);
    self->is_used = 0;
    atomic_fetch_sub(&drafts->count, 1);
}

static struct draft *take_draft(void)
{
    struct draft *found = NULL;
    for (int i = 0; i < DRAFTS_MAX && !found; i++) {
        if (!drafts->all[i].is_used)
            found = &drafts->all[i];
    }
    if (!found) {
        found = &drafts->all[drafts->oldest++ % DRAFTS_MAX];
        forget_draft(found);
    }
    return found;
}

/* 0 and the flags of renameat2(2), or -1 when a box may not write there any more. */
static int may_write(const struct guard_place *place, unsigned *flags)
{
    struct stat st;
    struct guard_verdict verdict = guard_protection_judge(&draft_request, place);
    int exists = fstatat(place->folder, place->name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    *flags = exists ? 0 : RENAME_NOREPLACE;
    return verdict.relation == GUARD_FREE &&
                   (verdict.role == GIT_FOLDER || verdict.role == GIT_WORKTREE_FILE) &&
                   (!exists || S_ISREG(st.st_mode))
               ? 0
               : -1;
}

static void write_out(const struct draft *self, const char *text, size_t length)
{
    struct guard_place place = {.folder = self->folder, .object = -1, .length = strlen(self->name)};
    unsigned flags;
    strcpy(place.name, self->name);
    if (may_write(&place, &flags) == 0 &&
        git_file_write(&place, text, length, self->mode, NULL) == 0)
        git_file_rename(&place, flags);
}

/* 1 when SELF was whole, and is done. */
static int finish(struct draft *self)
{
    const struct init_options *options = draft_request.options;
    char text[GITFILE_MAX + 1];
    ssize_t length = pread(self->written, text, sizeof text, 0);
    if (length <= 0 || !gitfile_is_harmless(self->kind, text, (size_t)length, options->git_folders,
                                            options->git_folder_count))
        return 0;
    write_out(self, text, (size_t)length);
    forget_draft(self);
    return 1;
}

static void give_up(struct draft *self)
{
    struct guard_request writer = draft_request;
    char text[NAME_MAX + 128];
    writer.pid = self->writer;
    snprintf(text, sizeof text, "'%s' is not written: it may lead only to a .git of this project",
             self->name);
    guard_tell_caller(&writer, text);
    forget_draft(self);
}

/* Until here. */

static void close_watched(int watch)
{
    pthread_mutex_lock(&drafts->lock);
    for (int i = 0; i < DRAFTS_MAX; i++) {
        struct draft *self = &drafts->all[i];
        if (self->is_used && self->watch == watch && !finish(self))
            give_up(self);
    }
    pthread_mutex_unlock(&drafts->lock);
}

static void read_closings(void)
{
    _Alignas(struct inotify_event) char room[4096];
    ssize_t length;
    while ((length = read(draft_closings, room, sizeof room)) > 0) {
        for (ssize_t at = 0; at < length;) {
            const struct inotify_event *event = (const struct inotify_event *)(room + at);
            if (event->mask & IN_CLOSE_WRITE)
                close_watched(event->wd);
            at += (ssize_t)sizeof *event + event->len;
        }
    }
}

void guard_gitfile_settle(void)
{
    if (!atomic_load(&drafts->count))
        return;
    read_closings();
    pthread_mutex_lock(&drafts->lock);
    for (int i = 0; i < DRAFTS_MAX; i++) {
        if (drafts->all[i].is_used)
            finish(&drafts->all[i]);
    }
    pthread_mutex_unlock(&drafts->lock);
}

void guard_gitfile_closed(void)
{
    read_closings();
    if (chdir("/") < 0) /* keeps no folder of a session */
        _exit(1);
}

/* What stands at PLACE, unless the caller empties it. 0, or an errno. */
static int fill(const struct guard_place *place, int flags, int written)
{
    size_t length;
    char *text = flags & O_TRUNC ? NULL : git_file_read_name(place->folder, place->name, &length);
    int error = text && pwrite(written, text, length, 0) < 0 ? errno : 0;
    free(text);
    return error;
}

static int remember_draft(const struct guard_request *caller, const struct guard_place *place,
                          mode_t mode, int written)
{
    char path[64];
    int folder = openat(place->folder, ".", O_PATH | O_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", written);
    pthread_mutex_lock(&drafts->lock);
    struct draft *self = folder < 0 ? NULL : take_draft();
    int error = folder < 0 ? errno : 0;
    if (self) {
        *self = (struct draft){.is_used = 1,
                               .folder = folder,
                               .written = written,
                               .watch = inotify_add_watch(draft_closings, path, IN_CLOSE_WRITE),
                               .writer = caller->pid,
                               .mode = mode,
                               .kind = gitfile_kind_of(place->name, place->length)};
        memcpy(self->name, place->name, place->length);
        atomic_fetch_add(&drafts->count, 1);
    }
    pthread_mutex_unlock(&drafts->lock);
    return error;
}

int guard_gitfile_open(struct guard_request *caller, const struct guard_place *place, int *fd)
{
    struct stat st;
    int flags = caller->flags;
    int exists = fstatat(place->folder, place->name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (!exists && (errno != ENOENT || !(flags & O_CREAT)))
        return errno;
    if (exists && (flags & O_CREAT) && (flags & O_EXCL))
        return EEXIST;
    if (caller->view.abroad || caller->kind == GUARD_FOR_ROOT || place->length > NAME_MAX ||
        (exists && !S_ISREG(st.st_mode)))
        return exists && S_ISDIR(st.st_mode) ? EISDIR : EROFS;
    int written = memory_file_new();
    int error = written < 0 ? errno : fill(place, flags, written);
    mode_t mode = exists ? st.st_mode & 0644 : 0;
    if (!error && !exists)
        error = git_file_take_mode(caller, &mode);
    if (!error) {
        *fd = memory_file_open(written, flags);
        error = *fd < 0 ? errno : remember_draft(caller, place, mode, written);
    }
    if (error && *fd >= 0)
        close(*fd);
    if (error && written >= 0)
        close(written);
    if (error)
        *fd = -1;
    return error;
}
