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

/* The guard takes no terminal, and lets no descriptor of its own live on. */
#define OWN_FLAGS (O_NOCTTY | O_CLOEXEC)

static int open_resolving(int folder, const char *path, int flags, mode_t mode, uint64_t resolve)
{
    struct open_how how = {.flags = (uint64_t)((flags & OPEN_FLAGS) | OWN_FLAGS),
                           .mode = flags & O_CREAT ? mode & 07777 : 0,
                           .resolve = resolve};
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

int guard_open_now(int itself, int folder, const char *name, int flags, mode_t mode)
{
    /* Not by O_NOFOLLOW, which would be seen in F_GETFL. */
    return itself ? open_resolving(folder, name, flags, mode, RESOLVE_NO_SYMLINKS)
                  : (int)syscall(SYS_openat, folder, name, flags | OWN_FLAGS, mode);
}

int guard_open_below(int folder, const char *path, int flags, mode_t mode)
{
    return open_resolving(folder, path, flags, mode,
                          RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV | RESOLVE_BENEATH);
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
