#include "guest/guard/answer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "guest/guard/do.h"
#include "guest/guard/rights.h"

/* Linux 6.6: caller and guard take turns on one processor, instead of waking another. */
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif

void guard_answer_prepare(int listener)
{
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
}

int guard_answer_receive(int listener, union guard_held *held)
{
    memset(held, 0, sizeof *held); /* the kernel insists */
    return ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &held->notice) < 0 ? -1 : 0;
}

static void answer(const struct guard_request *request, int error, int64_t value)
{
    union {
        struct seccomp_notif_resp answer;
        char room[512];
    } verdict = {0};
    verdict.answer.id = request->id;
    verdict.answer.error = -error;
    verdict.answer.val = error ? 0 : value;
    ioctl(request->listener, SECCOMP_IOCTL_NOTIF_SEND, &verdict.answer);
}

/*
 * Gives FD to the caller and closes it here, if it matters before the caller goes on: it may close
 * its own at once and expect that nobody holds the file any more (ETXTBSY, flock). Where it does
 * not, descriptor and answer go in one step.
 */
static void hand_over(const struct guard_request *request, int fd)
{
    struct seccomp_notif_addfd add = {.id = request->id,
                                      .srcfd = (uint32_t)fd,
                                      .flags = request->fleeting ? SECCOMP_ADDFD_FLAG_SEND : 0,
                                      .newfd_flags = (uint32_t)(request->flags & O_CLOEXEC)};
    int given = ioctl(request->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
    if (given < 0 && errno == EINVAL && add.flags) { /* Linux before 5.14: in two */
        add.flags = 0;
        given = ioctl(request->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
    }
    int error = given < 0 ? errno : 0;
    close(fd);
    if (error || !add.flags)
        answer(request, error, given);
}

int guard_answer_find(struct guard_request *request, const struct seccomp_notif *notice, int *fd)
{
    *fd = -1;
    int error = guard_request_read(request, notice);
    if (!error) {
        error = guard_do(request, fd);
        guard_request_release(request);
    }
    if (guard_rights_look(request->kind) < 0)
        _exit(1);
    return error;
}

void guard_answer_give(const struct guard_request *request, int error, int fd)
{
    if (fd >= 0 && !error)
        hand_over(request, fd);
    else
        answer(request, error, 0);
}
