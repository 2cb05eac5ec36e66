#include "guest/guard/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "guest/guard/caller.h"
#include "guest/guard/request.h"

/* What openat2(2) knows; open(2) takes no notice of the rest. */
#define OPEN_FLAGS                                                                                 \
    (O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND | O_NONBLOCK | O_SYNC | O_DSYNC | O_ASYNC | \
     O_DIRECT | O_DIRECTORY | O_NOFOLLOW | O_NOATIME | O_TMPFILE)

int guard_open_now(int itself, int folder, const char *name, int flags, mode_t mode)
{
    /* The guard takes no terminal, and lets no descriptor of its own live on. */
    flags |= O_NOCTTY | O_CLOEXEC;
    if (!itself)
        return (int)syscall(SYS_openat, folder, name, flags, mode);
    /* Not by O_NOFOLLOW, which would be seen in F_GETFL. */
    struct open_how how = {.flags = (uint64_t)(flags & (OPEN_FLAGS | O_NOCTTY | O_CLOEXEC)),
                           .mode = flags & O_CREAT ? mode & 07777 : 0,
                           .resolve = RESOLVE_NO_SYMLINKS};
    return (int)syscall(SYS_openat2, folder, name, &how, sizeof how);
}

static void nothing(int signal)
{
    (void)signal;
}

int guard_interrupt_every(int interval_ms)
{
    struct sigaction action = {.sa_handler = nothing}; /* without SA_RESTART */
    struct timeval every = {interval_ms / 1000, interval_ms % 1000 * 1000L};
    if (interval_ms && sigaction(SIGALRM, &action, NULL) < 0)
        return -1;
    /* Unlike one of timer_create(2), it does not count among the signals that a user may queue. */
    return setitimer(ITIMER_REAL, &(struct itimerval){every, every}, NULL);
}

int guard_interruption(struct guard_request *request)
{
    if (!guard_request_waits(request) || guard_caller_refresh(request) != 0)
        return ESRCH;
    const struct guard_status *status = &request->status;
    if (status->pending || (status->shared_pending && status->threads == 1))
        return GUARD_RESTART;
    /* Any thread may take it; whether the caller has to is not told. */
    return status->shared_pending & status->caught ? EINTR : 0;
}

int guard_fifo_open(struct guard_request *request, int itself, int folder, const char *name,
                    int flags, int *fd)
{
    int error;
    if (guard_interrupt_every(FIFO_SLICE_MS) < 0)
        return errno;
    do {
        *fd = guard_open_now(itself, folder, name, flags, 0);
        error = *fd < 0 ? errno : 0;
        /* In another view /proc is out of reach; the worker that waits for us looks. */
        if (error == EINTR)
            error = request->view.abroad ? EINTR : guard_interruption(request);
    } while (*fd < 0 && (error == 0 || (error == EINTR && request->view.abroad)));
    guard_interrupt_every(0);
    return error;
}
