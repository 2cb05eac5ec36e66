#include "guest/guard/patience.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

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

/* Interrupts this process's calls again and again; until: INTERVAL 0. */
static void interrupt_every(int interval_ms)
{
    struct sigaction action = {.sa_handler = nothing}; /* without SA_RESTART */
    struct timeval every = {0, interval_ms * 1000};
    struct itimerval timer = {every, every};
    if (interval_ms)
        sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

static int still_wanted(struct guard_request *request)
{
    /* In another view /proc is out of reach; the worker that waits for us looks. */
    return request->view.abroad ||
           (guard_request_waits(request) && guard_request_refresh(request) == 0 &&
            !(request->status.pending & request->status.caught));
}

int guard_open_patiently(struct guard_request *request, int itself, int folder, const char *name,
                         int flags, int *fd)
{
    int error;
    interrupt_every(FIFO_SLICE_MS);
    do {
        *fd = guard_open_now(itself, folder, name, flags, 0);
        error = *fd < 0 ? errno : 0;
    } while (error == EINTR && still_wanted(request));
    interrupt_every(0);
    return error;
}
