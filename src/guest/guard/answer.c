#include "guest/guard/answer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "guest/guard/procfs.h"
#include "guest/guard/shared_memory.h"

/* Only a close that blocks takes longer than a moment: of a file system that a process in the box
 * serves. That must not wait for itself. */
#define SETTLE_TRIES 2000
#define SETTLE_US 50

static atomic_int *lingering; /* files, in all workers */

int guard_answer_begin(void)
{
    lingering = shared_memory_new(sizeof *lingering);
    return lingering ? 0 : -1;
}

void guard_answer_settle(void)
{
    for (int i = 0; i < SETTLE_TRIES && atomic_load(lingering) > 0; i++)
        usleep(SETTLE_US);
}

static void send_answer(struct guard_request *request, int error, int64_t value, uint32_t flags)
{
    union {
        struct seccomp_notif_resp answer;
        char room[512];
    } verdict = {0};
    verdict.answer.id = request->id;
    verdict.answer.error = -error;
    verdict.answer.val = error ? 0 : value;
    verdict.answer.flags = flags;
    ioctl(request->listener, SECCOMP_IOCTL_NOTIF_SEND, &verdict.answer);
    request->is_answered = 1;
}

static int add_descriptor(const struct guard_request *request, int fd, uint32_t flags)
{
    struct seccomp_notif_addfd add = {.id = request->id,
                                      .srcfd = (uint32_t)fd,
                                      .flags = flags,
                                      .newfd_flags = (uint32_t)(request->flags & O_CLOEXEC)};
    return ioctl(request->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
}

/* 0, or an errno. */
static int give_in_two_steps(struct guard_request *request, int fd)
{
    int given = add_descriptor(request, fd, 0), error = given < 0 ? errno : 0;
    int failed = !error && request->truncates && ftruncate(fd, 0) < 0 ? errno : 0;
    close(fd);
    if (!error)
        send_answer(request, failed, given, 0);
    return error;
}

/* 0, or an errno. Linux before 5.14 knows no SEND, and says EINVAL. */
static int give_at_once(struct guard_request *request, int fd)
{
    atomic_fetch_add(lingering, 1);
    int error = add_descriptor(request, fd, SECCOMP_ADDFD_FLAG_SEND) < 0 ? errno : 0;
    request->is_answered = !error;
    if (error == EINVAL)
        error = give_in_two_steps(request, fd);
    else
        close(fd);
    atomic_fetch_sub(lingering, 1);
    return error;
}

int guard_answer_descriptor(struct guard_request *request, int fd)
{
    int one_step = request->lingers && !request->truncates;
    return one_step ? give_at_once(request, fd) : give_in_two_steps(request, fd);
}

void guard_answer(struct guard_request *request, int error)
{
    send_answer(request, error, 0, 0);
}

void guard_answer_go_on(struct guard_request *request)
{
    send_answer(request, 0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
}

#define LINE_MAX_BYTES 512 /* below PIPE_BUF: a pipe takes it whole or not at all */
#define TERMINALS 136      /* the major number of /dev/pts */

/* The caller's standard error, opened anew: its own flags stay as they are. -1: it has none that
 * could be written without harm, as a file has a place where its owner goes on to write. */
static int open_error_output(const struct guard_request *request)
{
    struct stat st;
    char name[32];
    int fd = -1, object = guard_procfs_descriptor(request, STDERR_FILENO, 0);
    if (object >= 0 && fstat(object, &st) == 0 &&
        (S_ISFIFO(st.st_mode) || (S_ISCHR(st.st_mode) && major(st.st_rdev) == TERMINALS))) {
        snprintf(name, sizeof name, "%d", object);
        fd = openat(guard_procfs_own(), name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    }
    if (object >= 0)
        close(object);
    return fd;
}

void guard_tell_caller(const struct guard_request *request, const char *text)
{
    char line[LINE_MAX_BYTES];
    int length = snprintf(line, sizeof line - 1, "box: %s", text);
    if (request->view.abroad || length < 0)
        return;
    if (length > (int)sizeof line - 2)
        length = (int)sizeof line - 2;
    for (int i = 0; i < length; i++) {
        if (line[i] < ' ' || line[i] > '~')
            line[i] = '?';
    }
    line[length++] = '\n';
    int fd = open_error_output(request);
    if (fd >= 0 && write(fd, line, (size_t)length) < 0)
        line[0] = '\0'; /* nobody reads it, or not now */
    if (fd >= 0)
        close(fd);
}
