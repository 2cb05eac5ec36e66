#include "box/lifecycle/box_namespaces.h"

#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child has one thread (fork(2)), as setns(2) asks for. */
static int enter_and_work(int pidfd, int (*work)(const void *data), const void *data)
{
    if (setns(pidfd, CLONE_NEWUSER | CLONE_NEWNS) < 0)
        return -1;
    return work(data);
}

/* The child sets errno whenever it fails. */
int box_namespaces_run(pid_t pid, int (*work)(const void *data), const void *data)
{
    int status, pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    pid_t child = pidfd < 0 ? -1 : fork();
    if (child == 0)
        _exit(enter_and_work(pidfd, work, data) == 0 ? 0 : errno & 0xff);
    int problem = errno;
    if (pidfd >= 0)
        close(pidfd);
    if (child < 0)
        return problem;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return errno;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}
