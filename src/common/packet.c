#include "common/packet.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

ssize_t packet_send(int socket, const void *data, size_t length, const int *fds, size_t count)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(PACKET_FDS_MAX * sizeof(int))] = {0};
    struct iovec part = {(void *)data, length};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (count > 0) {
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(header), fds, count * sizeof(int));
    }
    ssize_t sent;
    do
        sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent;
}

/* All that came, or none: what does not fit is closed. */
static void take_fds(struct msghdr *message, int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fds[i] = -1;
    for (struct cmsghdr *each = CMSG_FIRSTHDR(message); each; each = CMSG_NXTHDR(message, each)) {
        if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS)
            continue;
        size_t got = (each->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < got; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(each) + i * sizeof fd, sizeof fd);
            if (i < count)
                fds[i] = fd;
            else
                close(fd);
        }
    }
}

ssize_t packet_receive(int socket, void *data, size_t length, int *fds, size_t count)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(PACKET_FDS_MAX * sizeof(int))];
    struct iovec part = {data, length};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof control};
    ssize_t got;
    do
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got >= 0)
        take_fds(&message, fds, count);
    return got;
}
