#include "proto/desktop_request.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "net/unix_socket.h"
#include "proto/clip_content.h"

/* A picture that goes from the bridge's side of a request to the program that has asked. */
#define FOLDER "/run/litterbox/desktop/"
/* For a part of a picture: the other side is busy with nothing else. */
#define PART_TIMEOUT_MS 10000
/* Digits of CLIP_MAX. */
#define DIGITS_MAX 8

/* The word of each kind, and the longest texts (0: it has no such text). */
static const struct {
    const char *word;
    size_t max[2];
} request_kinds[REQUEST_KINDS] = {
    [REQUEST_OPEN] = {"open", {REQUEST_ADDRESS_MAX, 0}},
    [REQUEST_NOTIFY] = {"notify", {REQUEST_TITLE_MAX, REQUEST_BODY_MAX}},
    [REQUEST_PICTURE_TYPES] = {"picture-types", {0, 0}},
    [REQUEST_PICTURE] = {"picture", {0, 0}},
};

/* Returns the text at *AT and moves *AT behind its NUL; NULL when no text ends before END. */
static const char *take(const char **at, const char *end)
{
    const char *begin = *at;
    const char *nul = begin < end ? memchr(begin, '\0', (size_t)(end - begin)) : NULL;
    if (!nul)
        return NULL;
    *at = nul + 1;
    return begin;
}

static const char *take_texts(struct desktop_request *self, const char *at, const char *end)
{
    for (int i = 0; i < 2 && request_kinds[self->kind].max[i]; i++) {
        self->text[i] = take(&at, end);
        if (!self->text[i])
            return "the request is incomplete";
        if (strlen(self->text[i]) > request_kinds[self->kind].max[i])
            return "the request is too long";
    }
    return at == end ? NULL : "the request has unexpected data at its end";
}

const char *desktop_request_parse(struct desktop_request *self, const char *data, size_t length)
{
    const char *at = data, *end = data + length;
    *self = (struct desktop_request){.kind = REQUEST_KINDS};
    if (length > REQUEST_MAX)
        return "the request is too long";
    const char *word = take(&at, end);
    for (int i = 0; word && i < REQUEST_KINDS; i++)
        if (strcmp(word, request_kinds[i].word) == 0)
            self->kind = (enum request_kind)i;
    if (self->kind == REQUEST_KINDS)
        return "there is no such request";
    return take_texts(self, at, end);
}

void desktop_answer_send(int fd, enum request_outcome outcome, const char *sentence)
{
    char answer[REQUEST_ANSWER_MAX];
    size_t length = strnlen(sentence, sizeof answer - 1);
    answer[0] = (char)outcome;
    memcpy(answer + 1, sentence, length);
    send(fd, answer, length + 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Copies the texts to PACKET, each with its NUL. Returns its length; 0: they are too long. */
static size_t pack(char *packet, const char *const *texts)
{
    size_t length = 0;
    for (; *texts; texts++) {
        size_t size = strlen(*texts) + 1;
        if (size > REQUEST_MAX - length)
            return 0;
        memcpy(packet + length, *texts, size);
        length += size;
    }
    return length;
}

static void set_answer(struct desktop_answer *answer, enum request_outcome outcome,
                       const char *sentence)
{
    answer->outcome = outcome;
    strncpy(answer->sentence, sentence, sizeof answer->sentence - 1);
    answer->sentence[sizeof answer->sentence - 1] = '\0';
}

int desktop_request_send(const char *const *texts, struct desktop_answer *answer)
{
    char packet[REQUEST_MAX];
    size_t length = pack(packet, texts);
    if (!length) {
        set_answer(answer, REQUEST_WRONG, "the request is too long");
        return -1;
    }
    int fd = unix_socket_connect(FOLDER REQUEST_SOCKET, SOCK_SEQPACKET);
    if (fd >= 0) {
        /* May fail: a bridge that has too many connections answers at once and closes this one. */
        send(fd, packet, length, MSG_NOSIGNAL);
        return fd;
    }
    set_answer(
        answer, REQUEST_UNABLE,
        "no desktop answers: there is none, or the box is not allowed to use it ([desktop] open, "
        "notify, clipboard)");
    return -1;
}

void desktop_request_receive(int connection, struct desktop_answer *answer)
{
    char data[REQUEST_ANSWER_MAX + 1];
    ssize_t got = recv(connection, data, sizeof data - 1, MSG_DONTWAIT);
    if (got < 1) {
        set_answer(answer, REQUEST_UNABLE, "the host did not answer");
        return;
    }
    data[got] = '\0';
    set_answer(answer, (enum request_outcome)(unsigned char)data[0], data + 1);
}

int desktop_request_ask(const char *const *texts, struct desktop_answer *answer)
{
    struct pollfd wait = {.fd = desktop_request_send(texts, answer), .events = POLLIN};
    if (wait.fd < 0)
        return -1;
    poll(&wait, 1, DESKTOP_REQUEST_TIMEOUT_MS);
    desktop_request_receive(wait.fd, answer);
    return wait.fd;
}

int desktop_answer_show(const struct desktop_answer *answer, const char *name)
{
    if (*answer->sentence)
        fprintf(stderr, "%s: %s\n", name, answer->sentence);
    return (int)answer->outcome;
}

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
