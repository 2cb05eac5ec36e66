#include "guest/guard/execute.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest/guard/attributes.h"
#include "guest/guard/create_rename.h"
#include "guest/guard/fifo_open.h"
#include "guest/guard/hidden.h"
#include "guest/guard/open.h"
#include "guest/guard/openat2.h"
#include "guest/guard/procfs.h"
#include "guest/guard/protection.h"
#include "guest/guard/rights.h"
#include "sys/descriptors.h"

static int do_it(struct guard_request *request, int *fd)
{
    if (request->act == GUARD_OPEN)
        return guard_open(request, fd);
    if (request->act == GUARD_OPEN_HOW)
        return guard_openat2_open(request, fd);
    if (request->act == GUARD_CHMOD)
        return guard_chmod(request);
    if (request->act == GUARD_SETXATTR)
        return guard_setxattr(request);
    if (request->act == GUARD_TRUNCATE)
        return guard_truncate(request);
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

int guard_execute(struct guard_request *request, int *fd)
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
