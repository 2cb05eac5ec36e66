#include "proto/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define FDS_MAX 3

int session_length_fits(unsigned type, uint32_t length)
{
    switch (type) {
    case SESSION_START:
        return length > sizeof(struct session_start) && length <= SESSION_START_MAX;
    case SESSION_SIGNAL:
        return length == sizeof(struct session_signal);
    case SESSION_ANSWER:
        return length == sizeof(struct session_answer);
    case SESSION_QUERY:
        return length == 0;
    case SESSION_STARTED:
        return length == sizeof(struct session_started);
    case SESSION_FAILED:
        return length == sizeof(struct session_failed);
    case SESSION_EXITED:
        return length == sizeof(struct session_exited);
    case SESSION_ASK:
        return length <= SESSION_SMALL_MAX;
    case SESSION_INFO:
        return length == sizeof(struct session_info);
    case SESSION_CONNECT:
        return length == sizeof(struct session_connect);
    case SESSION_CONNECTED:
        return length == 0;
    default:
        return 0;
    }
}

static int send_all(int fd, const char *data, size_t length)
{
    while (length > 0) {
        ssize_t n = send(fd, data, length, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        data += n;
        length -= (size_t)n;
    }
    return 0;
}

int session_send(int fd, enum session_type type, const void *body, size_t length, const int *fds,
                 int count)
{
    struct session_header header = {
        .version = SESSION_VERSION, .type = (uint16_t)type, .length = (uint32_t)length};
    struct iovec iov[2] = {{&header, sizeof header}, {(void *)body, length}};
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
    } control = {0};
    struct msghdr message = {.msg_iov = iov, .msg_iovlen = length ? 2 : 1};
    if (count > 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE((size_t)count * sizeof(int));
        struct cmsghdr *cmsg = CMSG_FIRSTHDR(&message);
        cmsg->cmsg_level = SOL_SOCKET;
        cmsg->cmsg_type = SCM_RIGHTS;
        cmsg->cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
        memcpy(CMSG_DATA(cmsg), fds, (size_t)count * sizeof(int));
    }
    ssize_t n;
    do {
        n = sendmsg(fd, &message, MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    if (n < 0)
        return -1;
    size_t sent = (size_t)n;
    if (sent < sizeof header) {
        if (send_all(fd, (char *)&header + sent, sizeof header - sent) < 0)
            return -1;
        sent = sizeof header;
    }
    return send_all(fd, (const char *)body + (sent - sizeof header),
                    length - (sent - sizeof header));
}

/* Keeps the first descriptors that a message carried and closes what is too many. */
static void take_descriptors(struct msghdr *message, int fds[FDS_MAX])
{
    int kept = 0;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int got;
            memcpy(&got, CMSG_DATA(c) + i * sizeof(int), sizeof got);
            if (kept < FDS_MAX && fds[kept] < 0)
                fds[kept++] = got;
            else
                close(got);
        }
    }
}

static int receive_header(int fd, struct session_header *header, int fds[FDS_MAX])
{
    size_t have = 0;
    while (have < sizeof *header) {
        struct iovec iov = {(char *)header + have, sizeof *header - have};
        union {
            struct cmsghdr align;
            char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
        } control;
        struct msghdr message = {.msg_iov = &iov,
                                 .msg_iovlen = 1,
                                 .msg_control = control.bytes,
                                 .msg_controllen = sizeof control.bytes};
        ssize_t n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        take_descriptors(&message, fds);
        if (n == 0 && have == 0)
            return 0;
        if (n == 0) {
            errno = EPROTO;
            return -1;
        }
        have += (size_t)n;
    }
    return 1;
}

static int receive_body(int fd, char *body, size_t length)
{
    size_t have = 0;
    while (have < length) {
        ssize_t n = recv(fd, body + have, length - have, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            if (n == 0)
                errno = EPROTO;
            return -1;
        }
        have += (size_t)n;
    }
    body[length] = '\0';
    return 0;
}

int session_receive(int fd, struct session_header *header, char **body, int fds[3])
{
    *body = NULL;
    for (int i = 0; i < FDS_MAX; i++)
        fds[i] = -1;
    int got = receive_header(fd, header, fds);
    if (got == 1) {
        if (header->version != SESSION_VERSION ||
            !session_length_fits(header->type, header->length)) {
            errno = EPROTO;
            got = -1;
        } else if (!(*body = malloc((size_t)header->length + 1)) ||
                   receive_body(fd, *body, header->length) < 0) {
            got = -1;
        }
    }
    if (got == 1)
        return 1;
    int saved = errno;
    free(*body);
    *body = NULL;
    for (int i = 0; i < FDS_MAX; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
        fds[i] = -1;
    }
    errno = saved;
    return got;
}
