#include "sys/descriptors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Room for the descriptors of one message, aligned as cmsg(3) demands. */
union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(DESCRIPTORS_MAX * sizeof(int))];
};

static int compare_numbers(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

void descriptors_keep(int *keep, size_t count)
{
    unsigned from = 0;
    qsort(keep, count, sizeof *keep, compare_numbers);
    for (size_t i = 0; i < count; i++) {
        if (keep[i] < 0)
            continue;
        if ((unsigned)keep[i] > from)
            close_range(from, (unsigned)keep[i] - 1, 0);
        from = (unsigned)keep[i] + 1;
    }
    close_range(from, ~0u, 0);
}

ssize_t descriptors_sendv(int socket, const struct iovec *parts, size_t n_parts, const int *fds,
                          size_t count, int flags)
{
    union control control = {0};
    struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = n_parts};
    if (count > DESCRIPTORS_MAX) {
        errno = EINVAL;
        return -1;
    }
    if (count > 0) {
        size_t size = count * sizeof *fds;
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(size);
        control.header = (struct cmsghdr){
            .cmsg_len = CMSG_LEN(size), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.header), fds, size);
    }
    ssize_t sent;
    do
        sent = sendmsg(socket, &message, flags | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent;
}

ssize_t descriptors_send(int socket, const void *data, size_t length, const int *fds, size_t count,
                         int flags)
{
    struct iovec part = {(void *)data, length};
    return descriptors_sendv(socket, &part, 1, fds, count, flags);
}

/* Puts the descriptors of MESSAGE into FDS, which has room for COUNT, and closes the surplus. */
static void collect(struct msghdr *message, int *fds, size_t count)
{
    size_t have = 0;
    for (struct cmsghdr *each = CMSG_FIRSTHDR(message); each; each = CMSG_NXTHDR(message, each)) {
        if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS)
            continue;
        size_t length = (each->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < length; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(each) + i * sizeof fd, sizeof fd);
            if (have < count) {
                fds[have++] = fd;
            } else {
                close(fd);
                message->msg_flags |= MSG_CTRUNC;
            }
        }
    }
}

ssize_t descriptors_receive(int socket, void *data, size_t length, int *fds, size_t count,
                            int *flags)
{
    union control control;
    struct iovec part = {data, length};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    for (size_t i = 0; i < count; i++)
        fds[i] = -1;
    if (count > DESCRIPTORS_MAX) {
        errno = EINVAL;
        return -1;
    }
    /* Without room for them, the kernel closes all that come. */
    if (count > 0) {
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(count * sizeof *fds);
    }
    ssize_t got;
    do
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | (flags ? *flags : 0));
    while (got < 0 && errno == EINTR);
    if (got >= 0)
        collect(&message, fds, count);
    if (flags)
        *flags = got >= 0 ? message.msg_flags : 0;
    return got;
}
