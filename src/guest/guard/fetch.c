#include "guest/guard/request.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest/guard/caller.h"
#include "guest/guard/procfs.h"

/* The last caller's. When that is gone it leads nowhere, whoever has its number by now. */
static struct {
    int pid, pidfd;
} last = {0, -1};

void guard_fetch_forget(void)
{
    if (last.pidfd >= 0)
        close(last.pidfd);
    last.pidfd = -1;
}

/* A pidfd of the caller, not to be closed; -1 with errno. */
static int open_caller(const struct guard_request *request)
{
    if (last.pidfd >= 0 && last.pid == request->pid)
        return last.pidfd;
    guard_fetch_forget();
    last.pid = request->pid;
    last.pidfd = (int)syscall(SYS_pidfd_open, request->pid, GUARD_PIDFD_THREAD);
    if (last.pidfd < 0 && errno == EINVAL)
        last.pidfd = (int)syscall(SYS_pidfd_open, request->pid, 0);
    return last.pidfd;
}

/* When the caller closes FD at this moment, the call drops the last reference, and may block in
 * that: see release_fetched() in request.c. */
static int get(int pidfd, int fd)
{
    int interrupts = guard_interrupt_every(FIFO_SLICE_MS) == 0;
    int found = (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0), saved = errno;
    if (interrupts)
        guard_interrupt_every(0);
    errno = saved;
    return found;
}

static int get_of_process(struct guard_request *request, int fd)
{
    int pidfd = guard_caller_know(request) != 0
                    ? -1
                    : (int)syscall(SYS_pidfd_open, request->status.tgid, 0);
    if (pidfd < 0)
        return guard_procfs_descriptor(request, fd, 0);
    int found = get(pidfd, fd), saved = errno;
    close(pidfd);
    errno = saved;
    return found;
}

int guard_fetch(struct guard_request *request, int fd)
{
    int pidfd = open_caller(request), found = pidfd < 0 ? -1 : get(pidfd, fd);
    if (pidfd >= 0 && found < 0 && errno == ESRCH) {
        guard_fetch_forget();
        pidfd = open_caller(request);
        found = pidfd < 0 ? -1 : get(pidfd, fd);
    }
    if (pidfd >= 0)
        return found;
    return request->act == GUARD_BIND ? get_of_process(request, fd)
                                      : guard_procfs_descriptor(request, fd, 0);
}
