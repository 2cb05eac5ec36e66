#include "proto/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sys/descriptors.h"

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
                 size_t count)
{
    struct session_header header = {
        .version = SESSION_VERSION, .type = (uint16_t)type, .length = (uint32_t)length};
    struct iovec iov[2] = {{&header, sizeof header}, {(void *)body, length}};
    ssize_t n = descriptors_sendv(fd, iov, length ? 2 : 1, fds, count, 0);
    if (n < 0)
        return -1;
    size_t sent = (size_t)n;
    if (sent < sizeof header) {
        if (send_all(fd, (char *)&header + sent, sizeof header - sent) < 0)
            return -1;
        sent = sizeof header;
    }
    if (length == 0) /* body may be NULL, to which not even 0 may be added (C17 6.5.6) */
        return 0;
    return send_all(fd, (const char *)body + (sent - sizeof header),
                    length - (sent - sizeof header));
}

/* Descriptors come with the first byte (session_send): the kernel closes any that come later. */
static int receive_header(int fd, struct session_header *header, int fds[FDS_MAX])
{
    size_t have = 0;
    while (have < sizeof *header) {
        ssize_t n = descriptors_receive(fd, (char *)header + have, sizeof *header - have, fds,
                                        have ? 0 : FDS_MAX, NULL);
        if (n < 0)
            return -1;
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
