#include "podman/cancel.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "podman/podman.h"

static volatile sig_atomic_t cancelled;
/* -1 until the first connection. Never closed: a signal may come at any time. */
static volatile sig_atomic_t wake_up = -1;

gboolean cancel_prepare(GError **error)
{
    if (wake_up >= 0)
        return TRUE;
    int fd = eventfd(cancelled ? 1 : 0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot make an event descriptor: %s",
                    g_strerror(errno));
        return FALSE;
    }
    wake_up = fd;
    return TRUE;
}

int cancel_fd(void)
{
    return wake_up;
}

gboolean cancel_check(GError **error)
{
    if (!cancelled)
        return FALSE;
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_CANCELLED, "interrupted");
    return TRUE;
}

void podman_cancel(void)
{
    int saved = errno;
    uint64_t one = 1;

    cancelled = 1;
    /* EAGAIN means that it is readable already, which is all that is wanted. */
    if (wake_up >= 0 && write(wake_up, &one, sizeof one) < 0)
        errno = 0;
    errno = saved;
}

void podman_cancel_reset(void)
{
    uint64_t count;

    cancelled = 0;
    if (wake_up >= 0 && read(wake_up, &count, sizeof count) < 0)
        errno = 0; /* EAGAIN: there was nothing to take back */
}
