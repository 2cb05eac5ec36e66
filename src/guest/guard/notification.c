#include "guest/guard/notification.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "guest/guard/answer.h"
#include "guest/guard/execute.h"
#include "guest/guard/gitfile_write.h"
#include "guest/guard/rights.h"
#include "guest/guard/umask.h"
#include "sys/debug.h"

/* Linux 6.6: caller and guard take turns on one processor, instead of waking another. */
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif

void guard_notification_prepare(int listener)
{
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
    if (guard_rights_look(request->kind) < 0)
        _exit(1);
    if (!error && fd >= 0)
        error = guard_answer_descriptor(request, fd);
    if (!request->is_answered)
        guard_answer(request, error);
    if (error == EROFS || error == EBUSY)
        debug_log(DEBUG_GUARD, "process %d: '%s' is protected, call %d is refused: %s",
                  request->pid, request->made.text, (int)notice->data.nr, strerror(error));
}
