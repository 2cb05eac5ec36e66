#include "guest/guard/git_draft.h"

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

#include "guest/guard/git_config_write.h"
#include "guest/guard/git_file.h"
#include "guest/guard/gitfile.h"
#include "guest/guard/memory_file.h"
#include "guest/guard/open.h"
#include "guest/guard/protection.h"
#include "guest/guard/shared_memory.h"
#include "guest/guard/tell_caller.h"
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
    int is_config;
    char name[NAME_MAX + 1];
};

/* All workers share their descriptors. */
static struct {
    pthread_mutex_t lock;
    atomic_int count;
    struct draft all[DRAFTS_MAX];
    unsigned oldest;
} * shared;
static int closings; /* an inotify descriptor */
static struct guard_request request;

int guard_git_draft_begin(const struct guard_request *common)
{
    request = *common;
    shared = shared_memory_new(sizeof *shared);
    if (!shared)
        return -1;
    shared_memory_lock_init(&shared->lock);
    closings = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    return closings;
}

/* From here on with the lock held. */

static void forget(struct draft *self)
{
    inotify_rm_watch(closings, self->watch);
    close(self->folder);
    close(self->written);
    self->is_used = 0;
    atomic_fetch_sub(&shared->count, 1);
}

static struct draft *take_place(void)
{
    struct draft *found = NULL;
    for (int i = 0; i < DRAFTS_MAX && !found; i++) {
        if (!shared->all[i].is_used)
            found = &shared->all[i];
    }
    if (!found) {
        found = &shared->all[shared->oldest++ % DRAFTS_MAX];
        forget(found);
    }
    return found;
}

/* 0 and the flags of renameat2(2), or -1 when a box may not write there any more. */
static int may_write(const struct guard_place *place, unsigned *flags)
{
    struct stat st;
    struct guard_verdict verdict = guard_protection_judge(&request, place);
    int exists = fstatat(place->folder, place->name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    *flags = exists ? 0 : RENAME_NOREPLACE;
    return verdict.relation == GUARD_FREE &&
                   (verdict.role == GIT_FOLDER || verdict.role == GIT_WORKTREE_FILE ||
                    verdict.role == GIT_CONFIG) &&
                   (!exists || S_ISREG(st.st_mode))
               ? 0
               : -1;
}

static struct guard_place place_of(const struct draft *self)
{
    struct guard_place place = {.folder = self->folder, .object = -1, .length = strlen(self->name)};
    strcpy(place.name, self->name);
    return place;
}

/* 1 when SELF was whole and harmless, and is written. */
static int write_gitfile(const struct draft *self)
{
    const struct init_options *options = request.options;
    struct guard_place place = place_of(self);
    char text[GITFILE_MAX + 1];
    unsigned flags;
    ssize_t length = pread(self->written, text, sizeof text, 0);
    if (length <= 0 ||
        !gitfile_is_harmless(gitfile_kind_of(place.name, place.length), text, (size_t)length,
                             options->git_folders, options->git_folder_count))
        return 0;
    if (may_write(&place, &flags) == 0 &&
        git_file_write(&place, text, (size_t)length, self->mode, NULL) == 0)
        git_file_rename(&place, flags);
    return 1;
}

/* Any beginning of a configuration could be a whole one, so it is written when it is closed. */
static void write_config(const struct draft *self, const struct guard_request *writer)
{
    struct guard_place place = place_of(self);
    unsigned flags;
    if (may_write(&place, &flags) == 0)
        guard_git_config_write(writer, self->written, self->mode, &place, flags);
}

static void tell_refusal(const struct draft *self, const struct guard_request *writer)
{
    char text[NAME_MAX + 128];
    snprintf(text, sizeof text, "'%s' is not written: it may lead only to a .git of this project",
             self->name);
    guard_tell_caller(writer, text);
}

/* SELF was closed: it is written, or given up. */
static void finish(struct draft *self)
{
    struct guard_request writer = request;
    writer.pid = self->writer;
    if (self->is_config)
        write_config(self, &writer);
    else if (!write_gitfile(self))
        tell_refusal(self, &writer);
    forget(self);
}

static void finish_watched(int watch)
{
    for (int i = 0; i < DRAFTS_MAX; i++) {
        if (shared->all[i].is_used && shared->all[i].watch == watch)
            finish(&shared->all[i]);
    }
}

static void finish_closed(void)
{
    _Alignas(struct inotify_event) char room[4096];
    ssize_t length;
    while ((length = read(closings, room, sizeof room)) > 0) {
        for (ssize_t at = 0; at < length;) {
            const struct inotify_event *event = (const struct inotify_event *)(room + at);
            if (event->mask & IN_CLOSE_WRITE)
                finish_watched(event->wd);
            at += (ssize_t)sizeof *event + event->len;
        }
    }
}

/* Until here. */

void guard_git_draft_settle(void)
{
    if (!atomic_load(&shared->count))
        return;
    pthread_mutex_lock(&shared->lock);
    finish_closed();
    for (int i = 0; i < DRAFTS_MAX; i++) {
        struct draft *self = &shared->all[i];
        if (self->is_used && !self->is_config && write_gitfile(self))
            forget(self);
    }
    pthread_mutex_unlock(&shared->lock);
}

void guard_git_draft_closed(void)
{
    pthread_mutex_lock(&shared->lock);
    finish_closed();
    pthread_mutex_unlock(&shared->lock);
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

static int remember(const struct guard_request *caller, const struct guard_place *place,
                    struct draft draft)
{
    char path[64];
    draft.folder = openat(place->folder, ".", O_PATH | O_CLOEXEC);
    if (draft.folder < 0)
        return errno;
    snprintf(path, sizeof path, "/proc/self/fd/%d", draft.written);
    draft.is_used = 1;
    draft.writer = caller->pid;
    memcpy(draft.name, place->name, place->length);
    pthread_mutex_lock(&shared->lock);
    draft.watch = inotify_add_watch(closings, path, IN_CLOSE_WRITE);
    *take_place() = draft;
    atomic_fetch_add(&shared->count, 1);
    pthread_mutex_unlock(&shared->lock);
    return 0;
}

/* A configuration is there as soon as it is opened: an empty one says as much as none. */
static int make_empty(struct guard_request *caller, const struct guard_place *place)
{
    int error = guard_umask_take(caller);
    if (!error)
        error = git_file_write(place, "", 0, caller->mode & 0666, NULL);
    if (!error)
        error = git_file_rename(place, RENAME_NOREPLACE);
    return error == EEXIST && !(caller->flags & O_EXCL) ? GUARD_CHANGED : error;
}

static int begin(struct guard_request *caller, const struct guard_place *place, struct draft draft,
                 int *fd)
{
    draft.written = memory_file_new();
    int error = draft.written < 0 ? errno : fill(place, caller->flags, draft.written);
    if (!error) {
        *fd = memory_file_open(draft.written, caller->flags);
        error = *fd < 0 ? errno : remember(caller, place, draft);
    }
    if (error && *fd >= 0)
        close(*fd);
    if (error && draft.written >= 0)
        close(draft.written);
    if (error)
        *fd = -1;
    return error;
}

/* A configuration by its usual name, and not one that the guard is writing. */
static int is_config(const struct guard_place *place)
{
    return strcmp(place->name, "config") == 0 || strcmp(place->name, "config.worktree") == 0;
}

int guard_git_draft_open(struct guard_request *caller, const struct guard_place *place,
                         enum git_role role, int *fd)
{
    struct stat st;
    struct draft draft = {.is_config = role == GIT_CONFIG};
    int flags = caller->flags;
    int exists = fstatat(place->folder, place->name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (!exists && (errno != ENOENT || !(flags & O_CREAT)))
        return errno;
    if (exists && (flags & O_CREAT) && (flags & O_EXCL))
        return EEXIST;
    if (caller->view.abroad || caller->kind == GUARD_FOR_ROOT || place->length > NAME_MAX ||
        (exists && !S_ISREG(st.st_mode)) || (draft.is_config && !is_config(place)))
        return exists && S_ISDIR(st.st_mode) ? EISDIR : EROFS;
    draft.mode = draft.is_config && exists ? st.st_mode & 0777 : caller->mode & 0666;
    int error = draft.is_config && !exists ? make_empty(caller, place) : 0;
    return error ? error : begin(caller, place, draft, fd);
}
