#include "proto/desktop_request.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "net/unix_socket.h"

#define FOLDER "/run/litterbox/desktop/"

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
