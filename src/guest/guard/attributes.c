#include "guest/guard/calls.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/posix_acl.h>
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

/* 1 for an ACL that lets nobody run a file, and no other user write it, which chmod(2) without such
 * bits could give as well. */
static int is_harmless_acl(const struct guard_request *request)
{
    const struct posix_acl_xattr_header *header = request->value;
    const struct posix_acl_xattr_entry *entries = (const void *)(header + 1);
    size_t size = (size_t)request->number;
    if (request->act != GUARD_SETXATTR || strcmp(request->old.text, ACCESS_ACL) != 0 ||
        size < sizeof *header || le32toh(header->a_version) != POSIX_ACL_XATTR_VERSION)
        return 0;
    for (size_t i = 0; i < (size - sizeof *header) / sizeof *entries; i++) {
        int is_owner = le16toh(entries[i].e_tag) == ACL_USER_OBJ;
        if (le16toh(entries[i].e_perm) & (is_owner ? S_IXOTH : S_IXOTH | S_IWOTH))
            return 0;
    }
    return 1;
}

/* What is changed. */
struct changed {
    int fd; /* may be O_PATH */
    struct stat st;
    enum git_role role;
};

/* Answers as a read-only mount does for what is protected. */
static int refuse_change(struct guard_request *request, const struct guard_place *place,
                         struct changed *self)
{
    if (fstat(self->fd, &self->st) < 0)
        return EPERM;
    if (S_ISREG(self->st.st_mode) && is_harmless_acl(request)) /* what its name is takes longer */
        return 0;
    struct guard_verdict verdict = guard_protection_judge(request, place);
    self->role = verdict.role;
    if (guard_procfs_is(self->fd))
        return EPERM;
    if (S_ISLNK(self->st.st_mode) && request->act == GUARD_CHMOD)
        return EOPNOTSUPP;
    return verdict.relation == GUARD_WITHIN || verdict.role == GIT_FORBIDDEN ||
                   (S_ISREG(self->st.st_mode) && self->st.st_nlink > 1 &&
                    guard_protection_of_inode(request, &self->st))
               ? EROFS
               : 0;
}

/* 1 when another user of the host, with rights there, could make protected names, or write what
 * leads git to a configuration. */
static int keeps_others_out(struct guard_request *request, const struct changed *self)
{
    return S_ISDIR(self->st.st_mode) ? guard_protection_holds(request, self->fd)
                                     : git_names_is_held(self->role);
}

static int set_mode(int fd, mode_t mode)
{
    char name[32];
    int error = call_error(fchmod(fd, mode));
    if (error != EBADF) /* that is for O_PATH */
        return error;
    snprintf(name, sizeof name, "%d", fd);
    return call_error(fchmodat(guard_procfs_own(), name, mode, 0));
}

static int chmod_it(struct guard_request *request, const struct changed *self)
{
    mode_t mode =
        S_ISDIR(self->st.st_mode) ? request->mode : guard_set_id_drop(self->fd, request->mode);
    int opens = (mode & GUARD_OTHERS_WRITE) && keeps_others_out(request, self);
    return set_mode(self->fd, opens ? mode & ~(mode_t)GUARD_OTHERS_WRITE : mode);
}

static int setxattr_it(struct guard_request *request, const struct changed *self)
{
    char name[32];
    int is_acl = !strncmp(request->old.text, "system.", strlen("system."));
    /* As on a file system without ACLs: then `cp -a` and others do with chmod. */
    if (is_acl && keeps_others_out(request, self))
        return EOPNOTSUPP;
    int error = call_error(fsetxattr(self->fd, request->old.text, request->value,
                                     (size_t)request->number, (int)request->mode));
    if (error != EBADF) /* that is for O_PATH */
        return error;
    snprintf(name, sizeof name, "%d", self->fd);
    if (fchdir(guard_procfs_own()) < 0) /* before Linux 6.13 there is no setxattrat(2) */
        return errno;
    return call_error(setxattr(name, request->old.text, request->value, (size_t)request->number,
                               (int)request->mode));
}

/* Where there is an ACL, the mode has no rights of the group, but the most that anybody has by the
 * ACL. When that goes, they are the group's. */
static int removexattr_it(struct guard_request *request, const struct changed *self)
{
    char name[32];
    int opens = !strcmp(request->old.text, ACCESS_ACL) && (self->st.st_mode & S_IWGRP) &&
                keeps_others_out(request, self);
    snprintf(name, sizeof name, "%d", self->fd);
    if (fchdir(guard_procfs_own()) < 0)
        return errno;
    int error = opens && getxattr(name, ACCESS_ACL, NULL, 0) > 0
                    ? set_mode(self->fd, self->st.st_mode & 07777 & ~(mode_t)S_IWGRP)
                    : 0;
    return error ? error : call_error(removexattr(name, request->old.text));
}

static int change_it(struct guard_request *request, const struct changed *self)
{
    if (!is_harmless_acl(request))
        guard_answer_settle(); /* before it may be executed */
    if (request->act == GUARD_CHMOD)
        return chmod_it(request, self);
    return request->act == GUARD_SETXATTR ? setxattr_it(request, self)
                                          : removexattr_it(request, self);
}

int guard_change(struct guard_request *request)
{
    struct guard_place place;
    struct changed self = {0};
    int error = find_changed(request, &place);
    if (error)
        return error;
    self.fd = place.object >= 0 ? place.object
                                : openat(place.folder, place.name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    error = self.fd < 0 ? errno : refuse_change(request, &place, &self);
    if (!error)
        error = change_it(request, &self);
    if (self.fd >= 0 && self.fd != place.object)
        close(self.fd);
    guard_place_release(&place);
    return error;
}
