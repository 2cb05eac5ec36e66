#include "init/reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "init/privileges.h"
#include "init/reserve_calls.h"

/* Kernels may make the two structures larger; they say by how much, and this is far beyond. */
union held {
    struct seccomp_notif notice;
    char room[512];
};
union verdict {
    struct seccomp_notif_resp answer;
    char room[512];
};

static int send_listener(int door, int listener)
{
    char byte = 0;
    struct iovec iov = {&byte, 1};
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct msghdr message = {.msg_iov = &iov,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    struct cmsghdr *cmsg = CMSG_FIRSTHDR(&message);
    cmsg->cmsg_level = SOL_SOCKET;
    cmsg->cmsg_type = SCM_RIGHTS;
    cmsg->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(cmsg), &listener, sizeof listener);
    return sendmsg(door, &message, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

int reserve_install(int door)
{
    int listener = reserve_filter();
    if (listener < 0)
        return -1;
    int sent = send_listener(door, listener);
    close(listener);
    return sent;
}

static int receive_listener(int door)
{
    char byte;
    struct iovec iov = {&byte, 1};
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &iov,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    int listener = -1;
    if (recvmsg(door, &message, MSG_CMSG_CLOEXEC) != 1)
        return -1;
    struct cmsghdr *cmsg = CMSG_FIRSTHDR(&message);
    if (cmsg && cmsg->cmsg_type == SCM_RIGHTS)
        memcpy(&listener, CMSG_DATA(cmsg), sizeof listener);
    return listener;
}

/* The string at ADDRESS of process PID. -1 when there is none that the kernel would take. */
static int read_path(int pid, uint64_t address, char path[PATH_MAX])
{
    size_t to_page_end = 4096 - (size_t)(address & 4095);
    struct iovec here = {path, PATH_MAX};
    /* Two pieces, as the second page may not be there. */
    struct iovec there[2] = {{(void *)(uintptr_t)address, to_page_end},
                             {(void *)(uintptr_t)(address + to_page_end), PATH_MAX - to_page_end}};
    ssize_t n = process_vm_readv(pid, &here, 1, there, there[1].iov_len ? 2 : 1, 0);
    return n > 0 && memchr(path, '\0', (size_t)n) ? 0 : -1;
}

static int may_follow(const struct reserve_call *call, const struct seccomp_data *data)
{
    uint64_t flags = call->flags >= 0 ? data->args[call->flags] : 0;
    return call->follows && !(flags & (O_EXCL | O_NOFOLLOW));
}

/* 0, or the errno that the call gets. */
static int judge(const struct init_options *options, const struct seccomp_notif *notice)
{
    const struct reserve_call *call = reserve_call_of(&notice->data);
    char path[PATH_MAX];
    if (!call)
        return ENOSYS;
    for (int i = 0; i < 2 && call->names[i].path >= 0; i++) {
        const struct reserve_name *name = &call->names[i];
        int dirfd = name->dirfd < 0 ? AT_FDCWD : (int)notice->data.args[name->dirfd];
        if (read_path((int)notice->pid, notice->data.args[name->path], path) < 0)
            return EFAULT;
        if (reserve_refuses(options, (int)notice->pid, dirfd, path,
                            may_follow(call, &notice->data)))
            return EROFS;
    }
    return 0;
}

/* Answers one held call of LISTENER. -1 when nobody is left behind it. */
static int answer_one(const struct init_options *options, int listener)
{
    union held held = {0};
    union verdict verdict = {0};
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &held.notice) < 0)
        return errno == ENOENT || errno == EINTR ? 0 : -1; /* ENOENT: the caller was killed */
    int error = judge(options, &held.notice);
    verdict.answer.id = held.notice.id;
    verdict.answer.error = -error;
    verdict.answer.flags = error ? 0 : SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &verdict.answer);
    return 0;
}

static void watch(int epoll, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) < 0)
        close(fd);
}

static void serve(const struct init_options *options, int door)
{
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    watch(epoll, door);
    for (;;) {
        struct epoll_event events[16];
        int count = epoll_wait(epoll, events, 16, -1);
        for (int i = 0; i < count; i++) {
            int fd = events[i].data.fd;
            if (fd == door) {
                int listener = receive_listener(door);
                if (listener >= 0)
                    watch(epoll, listener);
                else if (errno != EINTR)
                    return; /* PID 1 is gone, and so is the box */
            } else if (!(events[i].events & EPOLLIN) || answer_one(options, fd) < 0) {
                close(fd);
            }
        }
    }
}

/* Once, before anything of the box could rename a folder. The project is the user's to see. */
static void remember_once(const struct init_options *options)
{
    static int done;
    if (done)
        return;
    done = 1;
    gid_t gid = (gid_t)setfsgid(options->gid);
    uid_t uid = (uid_t)setfsuid(options->uid);
    reserve_remember(options);
    setfsuid(uid);
    setfsgid(gid);
}

int reserve_start_guard(const struct init_options *options, int *door)
{
    int pair[2];
    remember_once(options);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -1;
    pid_t pid = fork();
    if (pid != 0) {
        close(pair[1]);
        if (pid < 0)
            close(pair[0]);
        *door = pid < 0 ? -1 : pair[0];
        return (int)pid;
    }
    close(pair[0]);
    prctl(PR_SET_NAME, "box-guard");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* PID 1 reads its signals from a descriptor; this one has to end by them. */
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    struct rlimit many = {65536, 65536};
    setrlimit(RLIMIT_NOFILE, &many); /* one a session; fewer is no harm */
    if (privileges_become_guard() < 0)
        _exit(1);
    /* The project is the user's: root of the box has no way around permissions. */
    setfsgid(options->gid);
    setfsuid(options->uid);
    serve(options, pair[1]);
    _exit(0);
}
