/* A picture that goes from the bridge's side of a request to the program that has asked. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "proto/clip_content.h"
#include "proto/desktop_request.h"

/* The other side is busy with nothing else. */
#define PART_TIMEOUT_MS 10000
/* Digits of CLIP_MAX. */
#define DIGITS_MAX 8

static int is_ready(int fd, short events)
{
    struct pollfd wait = {.fd = fd, .events = events};
    int ready;
    do
        ready = poll(&wait, 1, PART_TIMEOUT_MS);
    while (ready < 0 && errno == EINTR);
    return ready > 0 && wait.revents & events;
}

static int send_part(int fd, const unsigned char *data, size_t length)
{
    ssize_t sent = -1;
    while (is_ready(fd, POLLOUT)) {
        sent = send(fd, data, length, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent >= 0 || (errno != EAGAIN && errno != EINTR))
            break;
    }
    return sent == (ssize_t)length ? 0 : -1;
}

int desktop_picture_send(int fd, const unsigned char *data, size_t length)
{
    char announced[DIGITS_MAX + 1];
    if (length == 0 || length > CLIP_MAX)
        return -1;
    snprintf(announced, sizeof announced, "%zu", length);
    desktop_answer_send(fd, REQUEST_DONE, announced);
    for (size_t part; length > 0; data += part, length -= part) {
        part = length < REQUEST_PART_MAX ? length : REQUEST_PART_MAX;
        if (send_part(fd, data, part) < 0)
            return -1;
    }
    return 0;
}

/* 0: it announces no picture that could come. */
static size_t announced_length(const struct desktop_answer *answer)
{
    size_t length = 0;
    const char *at = answer->sentence;
    for (; *at >= '0' && *at <= '9' && length <= CLIP_MAX; at++)
        length = length * 10 + (size_t)(*at - '0');
    return answer->outcome == REQUEST_DONE && !*at && length <= CLIP_MAX ? length : 0;
}

unsigned char *desktop_picture_receive(int connection, const struct desktop_answer *answer,
                                       size_t *length)
{
    *length = announced_length(answer);
    unsigned char *data = *length ? malloc(*length) : NULL;
    size_t got = 0;
    while (data && got < *length) {
        ssize_t part =
            is_ready(connection, POLLIN) ? recv(connection, data + got, *length - got, 0) : -1;
        if (part <= 0) {
            free(data);
            return NULL;
        }
        got += (size_t)part;
    }
    return data;
}
