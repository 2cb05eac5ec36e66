#include "guest/guard/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest/guard/answer.h"
#include "guest/guard/calls.h"
#include "guest/guard/gitfile.h"
#include "guest/guard/hidden.h"
#include "guest/guard/procfs.h"
#include "guest/guard/protection.h"
#include "guest/guard/request.h"
#include "guest/guard/rights.h"
#include "guest/guard/umask.h"
#include "sys/debug.h"
#include "sys/descriptors.h"

/* Doing a held call: here, or in the view of a caller that sees another file system. */

static int do_it(struct guard_request *request, int *fd)
{
    if (request->act == GUARD_OPEN)
        return guard_open(request, fd);
    if (request->act == GUARD_OPEN_HOW)
        return guard_openat2_open(request, fd);
    if (request->act == GUARD_CHMOD || request->act == GUARD_SETXATTR ||
        request->act == GUARD_REMOVEXATTR)
        return guard_change(request);
    if (request->act == GUARD_TRUNCATE)
        return guard_truncate(request);
    if (request->act == GUARD_BIND)
        return guard_bind(request);
    return guard_make(request);
}

static void do_abroad(struct guard_request *request, int answer)
{
    const struct guard_view *view = &request->view;
    int keep[] = {request->made.base, request->old.base, view->root,
                  view->cwd,          view->pidfd,       answer};
    int fd = -1, error = 0;
    /* Above all the listeners, which must not stay open when the guard ends. */
    descriptors_keep(keep, sizeof keep / sizeof *keep);
    guard_protection_prepare(request->names);
    guard_hidden_prepare();
    guard_openat2_prepare(request);
    if (guard_procfs_begin() < 0 || guard_rights_enter_view(request) < 0)
        error = EPERM;
    if (!error)
        error = do_it(request, &fd);
    descriptors_send(answer, &error, sizeof error, &fd, fd >= 0, 0);
    _exit(0);
}

/* 1 for a call that may wait, and that a second one does no harm after. */
static int can_restart(const struct guard_request *request)
{
    return (request->act == GUARD_OPEN || request->act == GUARD_OPEN_HOW) &&
           !(request->flags & O_EXCL);
}

/* Waits for CHILD as long as the caller waits for it. */
static int await(struct guard_request *request, pid_t child, int answer, int *fd)
{
    struct pollfd poll_answer = {.fd = answer, .events = POLLIN};
    int error;
    for (;;) {
        if (poll(&poll_answer, 1, FIFO_SLICE_MS) > 0) {
            if (descriptors_receive(answer, &error, sizeof error, fd, 1, NULL) !=
                (ssize_t)sizeof error)
                error = EPERM;
            break;
        }
        error = guard_interruption(request);
        if (error == ESRCH || (error && can_restart(request)))
            break;
    }
    kill(child, SIGKILL);
    /* Its own descriptor must be gone before the caller's is used. */
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    return error;
}

static int go_abroad(struct guard_request *request, int *fd)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return errno;
    pid_t child = fork();
    if (child == 0)
        do_abroad(request, pair[1]);
    int error = child < 0 ? errno : 0;
    close(pair[1]);
    if (child > 0)
        error = await(request, child, pair[0], fd);
    close(pair[0]);
    return error;
}

/*
 * Called with the right to look into processes, which it gives up. 0, with the file in *FD when the
 * call opens one; or the errno that the call gets.
 */
static int guard_execute(struct guard_request *request, int *fd)
{
    *fd = -1;
    if (request->view.abroad)
        return go_abroad(request, fd);
    /* The user's guard keeps the right to look into processes until a path leads into a procfs, the
     * only place where it would give more than the caller has (guest/guard/lookup.c). */
    int is_plain = request->kind == GUARD_FOR_USER && !request->options->nested;
    if (!is_plain && guard_rights_act(request) < 0)
        return EPERM;
    return do_it(request, fd);
}

/* Linux 6.6: caller and guard take turns on one processor, instead of waking another. */
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif

/* The leader's, and so every worker's: fchdir(2) takes half of what chdir(2) does. */
static int root = -1;

void guard_notification_prepare(int listener)
{
    if (root < 0)
        root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
}

int guard_notification_receive(int listener, union guard_notification *held)
{
    memset(held, 0, sizeof *held); /* the kernel insists */
    return ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &held->notice) < 0 ? -1 : 0;
}

void guard_notification_answer(struct guard_request *request, int listener,
                               const struct seccomp_notif *notice)
{
    int fd = -1;
    request->listener = listener;
    guard_gitfile_settle();
    int error = guard_request_read(request, notice);
    if (!error && (request->act == GUARD_UMASK || request->act == GUARD_LOCK)) {
        if (request->act == GUARD_UMASK)
            guard_umask_changes(request);
        else
            guard_answer_settle();
        guard_answer_go_on(request);
        return;
    }
    if (!error) {
        error = guard_execute(request, &fd);
        guard_request_release(request);
    }
    /* Of a folder that is removed inotify tells when nobody is in it any more. */
    if (guard_rights_look(request->kind) < 0 || fchdir(root) < 0)
        _exit(1);
    if (!error && fd >= 0)
        error = guard_answer_descriptor(request, fd);
    if (!request->is_answered)
        guard_answer(request, error);
    if (error == EROFS || error == EBUSY)
        debug_log(DEBUG_GUARD, "process %d: '%s' is protected, call %d is refused: %s",
                  request->pid, request->made.text, (int)notice->data.nr, strerror(error));
}
