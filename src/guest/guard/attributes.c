#include "guest/guard/calls.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/posix_acl_xattr.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "guest/guard/answer.h"
#include "guest/guard/file_system.h"
#include "guest/guard/lookup.h"
#include "guest/guard/procfs.h"
#include "guest/guard/protection.h"

#define ACCESS_ACL "system.posix_acl_access" /* XATTR_NAME_POSIX_ACL_ACCESS of the kernel */

/* What the request's path, or without one its descriptor, leads to. */
static int find_changed(struct guard_request *request, struct guard_place *place)
{
    int flags = request->flags;
    *place = (struct guard_place){.folder = -1};
    if (flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
        return EINVAL;
    if (request->made.text[0] || !(flags & AT_EMPTY_PATH))
        return guard_lookup(request, &request->made, !(flags & AT_SYMLINK_NOFOLLOW), place);
    place->object = request->made.base;
    request->made.base = AT_FDCWD;
    return 0;
}

/* 1 for an ACL that lets nobody run a file, which chmod(2) without such bits could give as well. */
static int is_harmless_acl(const struct guard_request *request)
{
    const struct posix_acl_xattr_header *header = request->value;
    const struct posix_acl_xattr_entry *entries = (const void *)(header + 1);
    size_t size = (size_t)request->number;
    if (request->act != GUARD_SETXATTR || strcmp(request->old.text, ACCESS_ACL) != 0 ||
        size < sizeof *header || le32toh(header->a_version) != POSIX_ACL_XATTR_VERSION)
        return 0;
    for (size_t i = 0; i < (size - sizeof *header) / sizeof *entries; i++) {
        if (le16toh(entries[i].e_perm) & S_IXOTH)
            return 0;
    }
    return 1;
}

/* Answers as a read-only mount does for what is protected. */
static int refuse_change(struct guard_request *request, const struct guard_place *place, int fd,
                         struct stat *st)
{
    if (fstat(fd, st) < 0)
        return EPERM;
    if (S_ISREG(st->st_mode) && is_harmless_acl(request)) /* what its name is takes longer */
        return 0;
    struct guard_verdict verdict = guard_protection_judge(request, place);
    if (guard_procfs_is(fd))
        return EPERM;
    if (S_ISLNK(st->st_mode) && request->act == GUARD_CHMOD)
        return EOPNOTSUPP;
    return verdict.relation == GUARD_WITHIN || verdict.role == GIT_FORBIDDEN ||
                   (S_ISREG(st->st_mode) && st->st_nlink > 1 &&
                    guard_protection_of_inode(request, st))
               ? EROFS
               : 0;
}

/* With rights in a folder, another user of the host could make protected names there. */
static mode_t mode_for(struct guard_request *request, int fd, const struct stat *st)
{
    if (!S_ISDIR(st->st_mode))
        return guard_set_id_drop(fd, request->mode);
    return guard_protection_holds(request, fd) ? request->mode & ~GUARD_OTHERS_WRITE
                                               : request->mode;
}

/* As chmod(2). FD may be O_PATH. */
static int set_mode(int fd, mode_t mode)
{
    char name[32];
    int error = call_error(fchmod(fd, mode));
    if (error != EBADF) /* that is for O_PATH */
        return error;
    snprintf(name, sizeof name, "%d", fd);
    return call_error(fchmodat(guard_procfs_own(), name, mode, 0));
}

static int setxattr_it(struct guard_request *request, int fd, const struct stat *st)
{
    char name[32];
    int is_acl = !strncmp(request->old.text, "system.", strlen("system."));
    /* As on a file system without ACLs: then `cp -a` and others do with chmod. */
    if (is_acl && S_ISDIR(st->st_mode) && guard_protection_holds(request, fd))
        return EOPNOTSUPP;
    int error = call_error(fsetxattr(fd, request->old.text, request->value, (size_t)request->number,
                                     (int)request->mode));
    if (error != EBADF) /* that is for O_PATH */
        return error;
    snprintf(name, sizeof name, "%d", fd);
    if (fchdir(guard_procfs_own()) < 0) /* before Linux 6.13 there is no setxattrat(2) */
        return errno;
    return call_error(setxattr(name, request->old.text, request->value, (size_t)request->number,
                               (int)request->mode));
}

/* The mode of a folder with an ACL has no rights of its group, but the most that anybody has by the
 * ACL. When that goes, they are the group's. */
static int removexattr_it(struct guard_request *request, int fd, const struct stat *st)
{
    static const char acl[] = "system.posix_acl_access";
    char name[32];
    int opens = !strcmp(request->old.text, acl) && S_ISDIR(st->st_mode) &&
                (st->st_mode & S_IWGRP) && guard_protection_holds(request, fd);
    snprintf(name, sizeof name, "%d", fd);
    if (fchdir(guard_procfs_own()) < 0)
        return errno;
    int error = opens && getxattr(name, acl, NULL, 0) > 0
                    ? set_mode(fd, st->st_mode & 07777 & ~(mode_t)S_IWGRP)
                    : 0;
    return error ? error : call_error(removexattr(name, request->old.text));
}

static int change_it(struct guard_request *request, int fd, const struct stat *st)
{
    if (request->act == GUARD_CHMOD)
        return set_mode(fd, mode_for(request, fd, st));
    return request->act == GUARD_SETXATTR ? setxattr_it(request, fd, st)
                                          : removexattr_it(request, fd, st);
}

int guard_change(struct guard_request *request)
{
    struct guard_place place;
    struct stat st = {0};
    int error = find_changed(request, &place);
    if (error)
        return error;
    int fd = place.object >= 0 ? place.object
                               : openat(place.folder, place.name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    error = fd < 0 ? errno : refuse_change(request, &place, fd, &st);
    if (!error) {
        if (!is_harmless_acl(request))
            guard_answer_settle(); /* before it may be executed */
        error = change_it(request, fd, &st);
    }
    if (fd >= 0 && fd != place.object)
        close(fd);
    guard_place_release(&place);
    return error;
}
