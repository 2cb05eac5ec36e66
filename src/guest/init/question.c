#include "guest/init/question.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ANSWER_TIMEOUT_MS 60000
/* As much of a command as a person reads; the client makes it safe and says that it is cut. */
#define TEXT_MAX 1024

void question_answer(struct question *self, int yes)
{
    if (self->reply < 0)
        return;
    struct session_answer answer = {yes ? 1 : 0};
    session_send(self->reply, SESSION_ANSWER, &answer, sizeof answer, NULL, 0);
    close(self->reply);
    self->reply = -1;
}

void question_forward(struct question *self, int questions, int client)
{
    struct session_header header;
    char *text;
    int fds[3];
    if (session_receive(questions, &header, &text, fds) != 1)
        return;
    for (int i = 1; i < 3; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
    }
    self->reply = fds[0];
    if (header.type != SESSION_ASK ||
        session_send(client, SESSION_ASK, text, header.length, NULL, 0) < 0)
        question_answer(self, 0);
    free(text);
}

static size_t describe(char text[TEXT_MAX], const struct session_command *command)
{
    size_t used = 0;
    for (char **word = command->argv; *word && used < TEXT_MAX; word++) {
        int n = snprintf(text + used, TEXT_MAX - used, used ? " %s" : "%s", *word);
        if (n < 0)
            break;
        used += (size_t)n;
    }
    return used < TEXT_MAX ? used : TEXT_MAX - 1;
}

int question_ask(int questions, const struct session_command *command)
{
    int pair[2], yes = 0;
    char text[TEXT_MAX];
    if (questions < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return 0;
    size_t length = describe(text, command);
    int sent = session_send(questions, SESSION_ASK, text, length, &pair[1], 1);
    close(pair[1]);
    struct pollfd wait = {.fd = pair[0], .events = POLLIN};
    if (sent == 0 && poll(&wait, 1, ANSWER_TIMEOUT_MS) == 1) {
        struct session_header header;
        struct session_answer answer = {0};
        char *body;
        int fds[3];
        if (session_receive(pair[0], &header, &body, fds) == 1) {
            if (header.type == SESSION_ANSWER)
                memcpy(&answer, body, sizeof answer);
            yes = answer.yes == 1;
            free(body);
        }
    }
    close(pair[0]);
    return yes;
}
