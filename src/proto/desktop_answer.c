#include "proto/desktop_answer.h"

#include <string.h>
#include <sys/socket.h>

void answer_send(int fd, enum request_outcome outcome, const char *sentence)
{
    char answer[REQUEST_ANSWER_MAX];
    size_t length = strnlen(sentence, sizeof answer - 1);
    answer[0] = (char)outcome;
    memcpy(answer + 1, sentence, length);
    send(fd, answer, length + 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}
