#include "proto/desktop_request.h"

#include <string.h>
#include <sys/socket.h>

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
