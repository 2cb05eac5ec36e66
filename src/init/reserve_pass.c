#include "init/reserve_pass.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

union control {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(int))];
};

int reserve_pass_send(int socket, int number, int fd)
{
    struct iovec iov = {&number, sizeof number};
    union control control = {0};
    struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};
    if (fd >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *cmsg = CMSG_FIRSTHDR(&message);
        cmsg->cmsg_level = SOL_SOCKET;
        cmsg->cmsg_type = SCM_RIGHTS;
        cmsg->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(cmsg), &fd, sizeof fd);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)sizeof number ? 0 : -1;
}

int reserve_pass_receive(int socket, int *number, int *fd)
{
    struct iovec iov = {number, sizeof *number};
    union control control;
    struct msghdr message = {.msg_iov = &iov,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    *fd = -1;
    ssize_t n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (n != (ssize_t)sizeof *number) {
        errno = n < 0 ? errno : 0;
        return -1;
    }
    struct cmsghdr *cmsg = CMSG_FIRSTHDR(&message);
    if (cmsg && cmsg->cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(cmsg), sizeof *fd);
    return 0;
}
