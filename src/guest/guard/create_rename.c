#include "guest/guard/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest/guard/answer.h"
#include "guest/guard/file_system.h"
#include "guest/guard/procfs.h"
#include "guest/guard/protection.h"
#include "guest/guard/umask.h"

static enum git_change change_of(const struct guard_request *request)
{
    if (request->act == GUARD_MKDIR)
        return GIT_MAKES_FOLDER;
    /* A name by mknod(2) without a type is a plain file. */
    int is_file =
        request->act == GUARD_MKNOD && (S_ISREG(request->mode) || !(request->mode & S_IFMT));
    return is_file ? GIT_WRITES_FILE : GIT_MAKES_OTHER;
}

/*
 * 1 for an empty folder that Codex's own sandbox makes where there is none, to mount over it, and
 * takes away again. Nothing can be made in it, so it says nothing to Codex on the host.
 */
static int is_of_sandbox(struct guard_request *request, const struct guard_place *place)
{
    static const char name[] = ".codex";
    return request->act == GUARD_MKDIR && request->options->nested &&
           place->length == strlen(name) && !memcmp(place->name, name, strlen(name)) &&
           guard_protection_in_folder(request, place->folder) != GUARD_WITHIN;
}

/* Answers as a read-only mount does for a new name. A new folder above protected names is empty. */
static int refuse_new(struct guard_request *request, const struct guard_place *place,
                      const struct guard_verdict *verdict)
{
    struct stat st;
    int is_folder = request->act == GUARD_MKDIR;
    if ((verdict->relation == GUARD_FREE || (verdict->relation == GUARD_ABOVE && is_folder)) &&
        !git_names_refuse(verdict->role, change_of(request)))
        return 0;
    if (request->act == GUARD_SYMLINK && verdict->relation == GUARD_FREE &&
        verdict->role == GIT_INSIDE &&
        git_names_is_probe(place->name, place->length, request->old.text))
        return 0;
    if (verdict->role == GIT_NONE && is_of_sandbox(request, place))
        return 0;
    return fstatat(place->folder, place->name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? EEXIST : EROFS;
}

static int make_at(struct guard_request *request, const struct guard_place *place,
                   const struct guard_verdict *verdict)
{
    if (request->act == GUARD_SYMLINK)
        return call_error(symlinkat(request->old.text, place->folder, place->name));
    int error = guard_umask_take(request);
    if (error)
        return error;
    if (request->act == GUARD_BIND)
        return guard_bind_at(request, place);
    if (request->act == GUARD_MKDIR && (verdict->relation != GUARD_FREE || verdict->role))
        request->mode &= ~GUARD_OTHERS_WRITE; /* see attributes.c */
    if (request->act == GUARD_MKDIR)
        return call_error(syscall(SYS_mkdirat, place->folder, place->name, request->mode));
    mode_t mode = guard_set_id_drop(place->folder, request->mode);
    return call_error(
        syscall(SYS_mknodat, place->folder, place->name, mode, (unsigned)request->number));
}

static int make_entry(struct guard_request *request)
{
    struct guard_place place;
    int error = guard_lookup(request, &request->made, 0, &place);
    if (error)
        return error;
    struct guard_verdict verdict = guard_protection_judge(request, &place);
    error = refuse_new(request, &place, &verdict);
    if (!error)
        error = make_at(request, &place, &verdict);
    guard_place_release(&place);
    return error;
}

/* A mount's own point and what it lies in stay where they are; on it nothing changes. */
static int refuse_rename(enum guard_relation relation)
{
    return relation == GUARD_WITHIN ? EROFS : relation == GUARD_ABOVE ? EBUSY : 0;
}

static int rename_places(struct guard_request *request, const struct guard_place *old,
                         const struct guard_place *made)
{
    struct guard_verdict from = guard_protection_judge(request, old);
    struct guard_verdict to = guard_protection_judge(request, made);
    int error = refuse_rename(from.relation);
    if (!error)
        error = refuse_rename(to.relation);
    if (error)
        return error;
    /* HEAD may go away, but a folder of that name must not become a file. */
    int leaves = from.role == GIT_HEAD && !(request->flags & RENAME_EXCHANGE);
    if ((from.role != GIT_NONE && !leaves) || to.role != GIT_NONE)
        return guard_git_rename(request, &(struct guard_rename){old, made, from.role, to.role});
    return call_error(syscall(SYS_renameat2, old->folder, old->name, made->folder, made->name,
                              (unsigned)request->flags));
}

static int link_places(struct guard_request *request, const struct guard_place *old,
                       const struct guard_place *made)
{
    char name[32];
    struct stat st;
    struct guard_verdict from = guard_protection_judge(request, old);
    struct guard_verdict to = guard_protection_judge(request, made);
    /* Under another name a protected file could be written. */
    if (from.relation == GUARD_WITHIN)
        return EROFS;
    if ((old->object >= 0 ? fstat(old->object, &st)
                          : fstatat(old->folder, old->name, &st, AT_SYMLINK_NOFOLLOW)) == 0 &&
        S_ISREG(st.st_mode) && st.st_nlink > 1 && guard_protection_of_inode(request, &st))
        return EROFS;
    if (to.relation != GUARD_FREE)
        return refuse_new(request, made, &to);
    if (from.role != GIT_NONE || to.role != GIT_NONE)
        return guard_git_link(old, from.role, made, to.role);
    if (old->object < 0)
        return call_error(linkat(old->folder, old->name, made->folder, made->name, 0));
    snprintf(name, sizeof name, "%d", old->object);
    return call_error(
        linkat(guard_procfs_own(), name, made->folder, made->name, AT_SYMLINK_FOLLOW));
}

/* The first name of link(2) and rename(2). */
static int resolve_old(struct guard_request *request, struct guard_place *place)
{
    int flags = request->act == GUARD_LINK ? request->flags : 0;
    if (flags & ~(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH))
        return EINVAL;
    if (request->old.text[0] || !(flags & AT_EMPTY_PATH))
        return guard_lookup(request, &request->old, flags & AT_SYMLINK_FOLLOW, place);
    place->folder = -1;
    place->object = fcntl(request->old.base, F_DUPFD_CLOEXEC, 0);
    return call_error(place->object);
}

static int make_from(struct guard_request *request)
{
    struct guard_place old, made;
    int error = resolve_old(request, &old);
    if (error)
        return error;
    error = guard_lookup(request, &request->made, 0, &made);
    if (!error) {
        error = request->act == GUARD_LINK ? link_places(request, &old, &made)
                                           : rename_places(request, &old, &made);
        guard_place_release(&made);
    }
    guard_place_release(&old);
    return error;
}

int guard_make(struct guard_request *request)
{
    return request->act == GUARD_LINK || request->act == GUARD_RENAME ? make_from(request)
                                                                      : make_entry(request);
}
