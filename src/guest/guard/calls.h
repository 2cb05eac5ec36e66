/* The calls that are done on behalf of a caller, each by a file. */
#pragma once

#include <errno.h>

#include "guest/guard/lookup.h"
#include "guest/guard/protection.h"
#include "guest/guard/request.h"

/* The error of a call that RETURNED this: 0 for none. */
static inline int call_error(long returned)
{
    return returned < 0 ? errno : 0;
}

/* open.c: open(2) for writing or making a file, on the caller's behalf. */

/* 0 and a descriptor in *FD, which the caller gets with its own O_CLOEXEC; or an errno. */
int guard_open(struct guard_request *request, int *fd);

/* What was found is something else by now: look again. */
#define GUARD_CHANGED (-1)

/*
 * open_new.c: a new file by a path that starts from a folder and leads down, through no link and no
 * mount. Where it comes to lie is known by text then, so that the kernel walks the path once. 1
 * when that is done, with its *ERROR (0: the caller has its descriptor); 0: nothing has been done.
 */
int guard_open_new_below(struct guard_request *request, int *error);

/* The parts of it: what PLACE names (or GUARD_CHANGED); a file without a name in FOLDER. */
int guard_open_place(struct guard_request *request, const struct guard_place *place, int *fd);
int guard_open_unnamed(struct guard_request *request, int folder, int *fd);

/* 1 for a plain file, which ST describes, that may not be written at PLACE. */
int guard_file_is_kept(struct guard_request *request, const struct guard_place *place,
                       const struct stat *st);

/* 1 when FD is a protected file, opened by another name of it (or nobody can tell). Ask when it is
 * open: a box may put such a name, which the host has made, in the place of one that was looked at.
 */
int guard_file_is_second_name(struct guard_request *request, int fd);

/* truncate.c: truncate(2) on the caller's behalf. 0, or an errno. */
int guard_truncate(struct guard_request *request);

/*
 * openat2.c: openat2(2) on the caller's behalf: the kernel walks the path as RESOLVE says, the
 * guard looks at what it found.
 *
 * Differences, each of which a caller is told by an errno of openat2's own: RESOLVE_CACHED is
 * always EAGAIN; files of /proc, paths through its links to files, and O_PATH of sockets are
 * ENOSYS. For O_PATH the descriptor is one for reading, as the other cannot be handed over: so what
 * O_PATH finds has to be readable.
 */

/* 0 and a descriptor in *FD; or an errno. */
int guard_openat2_open(struct guard_request *request, int *fd);
/* In a process that does this one call in another view, before that is entered. */
void guard_openat2_prepare(const struct guard_request *request);

/* create_rename.c: the calls that make, rename or link a name, on the caller's behalf. */

/* mkdir, mknod, symlink, link, rename, and the name of bind. 0, or an errno. */
int guard_make(struct guard_request *request);

/*
 * bind.c: bind(2) of every socket, on the caller's behalf. None is let go on, as another thread may
 * put a Unix socket in the place of one that has no names of files.
 *
 * The address stays as the caller gave it, which getsockname(2) then says: programs remove their
 * socket by it. So the kernel walks the path again, and a box that exchanges folders meanwhile can
 * lead it to a protected name. What comes about there is a socket that may not be executed, since
 * the right to is added at the place that was looked at alone. Nothing reads one, and git on the
 * host takes only one with that right for a folder (access(2) in its is_git_directory()).
 *
 * SIOCUNIXFILE would tell where it is, but wants CAP_NET_ADMIN in the namespace of the network.
 */

/* 0, or an errno. */
int guard_bind(struct guard_request *request);
/* The part of it that makes the name of a file, which may be made at PLACE. 0, or an errno. */
int guard_bind_at(struct guard_request *request, const struct guard_place *place);

/* attributes.c: the calls that change a file's mode or extended attributes, on the caller's behalf:
 * chmod that lets something be run, setxattr and removexattr. A POSIX ACL, which is an attribute
 * (acl(5)), can let a file be run too, and without it a group may get what others had by it. */

/* 0, or an errno. */
int guard_change(struct guard_request *request);

/* fifo_open.c: opening what may take its time: a FIFO waits for its other end, a lease for its
 * owner. */

/*
 * What the kernel's own calls answer when a signal comes: it handles the signal, then starts the
 * call again or makes EINTR of it, as the handler wants (signal(7)). It must not be given to a
 * caller for whom no signal is pending, who would see this number.
 */
#define GUARD_RESTART 512

/* As openat(2); ITSELF: NAME must be no link (ELOOP). */
int guard_open_now(int itself, int folder, const char *name, int flags, mode_t mode);
/* The same, where no link and no mount may be on the way, which must not lead up (openat2(2)). */
int guard_open_below(int folder, const char *path, int flags, mode_t mode);
/*
 * 0 and a descriptor in *FD, or an errno; when the caller waits no longer, or has a signal to
 * handle, what guard_interruption() says.
 */
int guard_fifo_open(struct guard_request *request, int itself, int folder, const char *name,
                    int flags, int *fd);
/* 0 while the caller goes on to wait; else GUARD_RESTART, EINTR, or ESRCH when it is gone. */
int guard_interruption(struct guard_request *request);

/*
 * controlling_terminal.c: the controlling terminal by opening it: natively a session's leader that
 * has none gets the terminal that it opens for reading without O_NOCTTY (tty_open() of the kernel),
 * and xterm relies on that. Only the caller itself can take a terminal, by ioctl(TIOCSCTTY). So the
 * guard lets it make that call right behind the one that was held, before it goes on (ptrace(2)).
 *
 * Not for a caller in a view of its own, one that is traced, and one of the 32-bit personality. A
 * filter of the caller's own (seccomp(2)) sees that call.
 */

/*
 * The call has opened the terminal *FD. Where the caller gets it as its controlling one this
 * answers the call, and *FD is -1; else it does nothing.
 */
void guard_controlling_terminal_give(struct guard_request *request, int *fd);

/*
 * git_rename.c: renames and links of files from, to and in git folders. What is checked is what
 * arrives: the file goes by its descriptor, under a name of the guard's own, as a name could be
 * swapped for a link.
 */

struct guard_rename {
    const struct guard_place *from, *to;
    enum git_role from_role, to_role;
};

/*
 * renameat2(2) where a role is not GIT_NONE. 0, or an errno: EROFS for what a box may not put
 * there, and for all but plain files.
 */
int guard_git_rename(struct guard_request *request, const struct guard_rename *names);
/* linkat(2) of the same kind. OLD may be an object. */
int guard_git_link(const struct guard_place *old, enum git_role old_role,
                   const struct guard_place *made, enum git_role role);
