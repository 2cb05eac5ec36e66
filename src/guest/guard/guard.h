/*
 * Names that nothing in the box may write: the protected paths, whether they exist or not.
 *
 * A read-only mount keeps what exists from being changed, but only as long as it is there: it needs
 * something to stand on, and the host takes it away without noticing when it renames a new file
 * over the old one (as every editor and `git config` does). So protection goes by name: each call
 * that can make a name, open one for writing (where names are hidden also for reading:
 * guest/guard/hidden.h) or let it be run is held by seccomp (guest/guard/filter.c) and done by the
 * guard, a process of box-init, on its own copy of the path and with the caller's rights
 * (guest/guard/request.c, guest/guard/rights.c). Where the name is protected the answer is that of
 * a read-only mount, EROFS, and EBUSY for renaming what it lies in. No call with a path is ever let
 * go on by itself, as the path in the caller's memory may have changed by then
 * (seccomp_unotify(2)): what is decided is what is done.
 *
 * When the guard is gone, held calls fail with ENOSYS, and PID 1 ends the sessions that depend on
 * it: nothing gets by.
 *
 * Limits, all of which fail closed unless it says otherwise:
 *  - openat2(2) does not exist in such a box (ENOSYS; programs fall back to openat), as its flags
 *    cannot be filtered and an O_PATH descriptor cannot be handed over. In a nested box newer
 *    bubblewraps insist on it: there it is held and done nearly as asked (guest/guard/openat2.c).
 *  - Landlock does not exist: the guard could not be held by the caller's rules, so a sandbox on
 *    them would be an empty promise.
 *  - A terminal that is opened for writing does not always become the controlling one
 *    (guest/guard/controlling_terminal.c). /dev/tty leads nowhere (ENXIO) for a process in
 *    namespaces or a root of its own.
 *  - A device that remembers who opened it sees the guard (known: /dev/kfd, binder).
 *  - /proc/self/attr cannot be written (the kernel wants opener and writer to be one), nor a file
 *    of /proc by way of a descriptor (/proc/self/fd/N); another process's memory only where Yama
 * does not ask for an ancestor.
 *  - A blocking open of a FIFO notices a signal within FIFO_SLICE_MS. Where a process has several
 *    threads and the signal is for any of them, the open is not started again (EINTR).
 *  - A signal that comes in the moment before the guard has taken a call over ends the call with
 * EINTR, unless its handler has SA_RESTART.
 *  - /proc/self/fd of a process of root's that is not dumpable.
 *  - A Unix socket that is bound by way of /proc/self has its last name alone (getsockname(2)).
 *  - In a folder whose path is longer than PATH_MAX nothing can be made, as it may lie in a git
 *    folder.
 *  - A program whose binary the user may not read cannot make files, nor bind sockets.
 *  - A configuration of git's, and a file that leads to a repository, is written to memory first
 *    (guest/guard/git_lockfile.h, gitfile.h): fstat(2) of its descriptor tells another file
 *    than stat(2) of its name; and what the guard does not take is not there after close(2).
 *  - Linux before 5.19 restarts a held call on a signal: mkdir may then say EEXIST.
 *  - Not closed: a file that the host is writing under another name, to rename it over a protected
 *    one, can be opened by the box before that; of those names the fixed ones of git, VS Code and
 *    JetBrains are protected (guest/guard/protected_names.c), those with random parts cannot be.
 *  - Not closed: mode (but for making it executable, or writable for others), times and attributes
 *    of a protected file whose mount the host has detached.
 *  - Not closed: removing a protected file whose mount the host has detached; and, by a race, a
 *    socket at a protected name that nothing reads or runs (guest/guard/calls.h, bind.c).
 *  - Not closed, security.nested alone: an overlay mounted by the box whose upper folder holds
 *    protected names that no mount stands on; a bind mount of a folder below a protected one whose
 *    mount the host has detached, or of a part of a git folder (guest/guard/git_names.h).
 */
#pragma once

#include "guest/common/init_options.h"
#include "guest/common/privileges.h"

/* How its processes are called. */
#define GUARD_PROCESS_NAME "box-guard"

/*
 * Forks the guard for sessions of KIND. Returns its pid, and in *DOOR the socket on which sessions
 * hand over their listeners. -1 with errno.
 */
int guard_start(const struct init_options *options, enum guard_kind kind, int *door);

/*
 * In a session's child, last before exec: installs the filter and hands its listener to the guard
 * behind DOOR. 0, or -1 with errno: then the command must not be run.
 */
int guard_install(int door);
