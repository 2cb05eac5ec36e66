#include "session/terminal_copy.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

/* The head is short, and the terminator is not kept. */
#define SEQUENCE_MAX (TERMINAL_COPY_MAX + 512)

enum terminal_copy_state terminal_copy_state(const struct terminal_copy *self)
{
    return __atomic_load_n(&self->state, __ATOMIC_ACQUIRE);
}

static void set_state(struct terminal_copy *self, enum terminal_copy_state state)
{
    __atomic_store_n(&self->state, state, __ATOMIC_RELEASE);
}

static int make_room(struct terminal_copy *self, size_t wanted)
{
    if (wanted <= self->room)
        return 1;
    size_t room = self->room * 2 > wanted ? self->room * 2 : wanted;
    char *sequence = realloc(self->sequence, room);
    if (!sequence)
        return 0;
    self->sequence = sequence;
    self->room = room;
    return 1;
}

int terminal_copy_begin(struct terminal_copy *self, const char *head, size_t length)
{
    if (terminal_copy_state(self) != COPY_NONE)
        return 0;
    self->length = 0;
    self->failed = 0;
    set_state(self, COPY_COMES);
    terminal_copy_add(self, head, length);
    return 1;
}

void terminal_copy_add(struct terminal_copy *self, const char *data, size_t length)
{
    if (self->failed)
        return;
    if (length > SEQUENCE_MAX - self->length) {
        self->failed = 1;
        self->too_long++;
    } else if (!make_room(self, self->length + length)) {
        self->failed = 1;
    } else {
        memcpy(self->sequence + self->length, data, length);
        self->length += length;
    }
}

static int is_base64(const char *text, size_t length)
{
    if (length == 0 || length % 4 != 0)
        return 0;
    size_t padding = (text[length - 1] == '=') + (size_t)(text[length - 2] == '=');
    for (size_t i = 0; i < length - padding; i++) {
        char c = text[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '+' || c == '/'))
            return 0;
    }
    return 1;
}

/* Where the text begins, behind "52;SELECTIONS;"; 0: there is none. */
static size_t find_text(const char *sequence, size_t length)
{
    const char *at = memchr(sequence, ';', length), *end = sequence + length;
    at = at ? memchr(at + 1, ';', (size_t)(end - at - 1)) : NULL;
    return at ? (size_t)(at + 1 - sequence) : 0;
}

void terminal_copy_end(struct terminal_copy *self, int is_whole)
{
    self->text = self->failed ? 0 : find_text(self->sequence, self->length);
    /* A terminal takes what is no base64 for an order to empty the clipboard. So nobody has to
     * decide about it, and what is shown to the user is what the terminal reads. */
    if (!is_whole || !self->text ||
        !is_base64(self->sequence + self->text, self->length - self->text)) {
        set_state(self, COPY_NONE);
        return;
    }
    set_state(self, COPY_WAITS);
    if (self->wake)
        eventfd_write(self->wake, 1);
}

const char *terminal_copy_text(const struct terminal_copy *self, size_t *length)
{
    *length = self->length - self->text;
    return self->sequence + self->text;
}

void terminal_copy_answer(struct terminal_copy *self, int yes)
{
    set_state(self, yes ? COPY_GRANTED : COPY_NONE);
}

void terminal_copy_clear(struct terminal_copy *self)
{
    free(self->sequence);
    *self = (struct terminal_copy){0};
}
