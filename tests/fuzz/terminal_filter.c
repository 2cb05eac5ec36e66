/*
 * Fuzzes the filter on what a box prints to a terminal. The first byte is what the settings allow,
 * the second where the rest is divided. However it is divided, the same must pass, and the same
 * text for the clipboard be held back; and what passes must pass again unchanged: nothing in it is
 * forbidden.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "session/terminal_filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct text {
    char *data;
    size_t length;
    char *copy; /* what is held back for the clipboard; NULL: nothing is */
    size_t copy_length;
};

static void add(struct terminal_filter *filter, struct text *to, const char *data, size_t length)
{
    const char *out;
    /* A copy of just this piece, so that the sanitizers see a read beyond it. */
    char *copy = malloc(length + !length);
    memcpy(copy, data, length);
    size_t passed = terminal_filter_run(filter, copy, length, &out);
    to->data = realloc(to->data, to->length + passed + 1);
    memcpy(to->data + to->length, out, passed);
    to->length += passed;
    free(copy);
}

static void take_copy(const struct terminal_copy *copy, struct text *to)
{
    if (terminal_copy_state(copy) != COPY_WAITS)
        return;
    const char *text = terminal_copy_text(copy, &to->copy_length);
    assert(to->copy_length > 0 && to->copy_length % 4 == 0 && !memchr(text, '?', to->copy_length) &&
           !memchr(text, 27, to->copy_length));
    to->copy = malloc(to->copy_length);
    memcpy(to->copy, text, to->copy_length);
}

static void clear(struct text *self)
{
    free(self->data);
    free(self->copy);
}

/* In pieces of EACH bytes. */
static struct text filter_pieces(unsigned allowed, const char *data, size_t length, size_t each)
{
    struct terminal_filter filter = {.allowed = allowed};
    struct text result = {malloc(1), 0, NULL, 0};
    char undo[TERMINAL_UNDO_MAX];
    for (size_t at = 0; at < length; at += each)
        add(&filter, &result, data + at, length - at < each ? length - at : each);
    assert(terminal_marks_undo(&filter.marks, undo) < TERMINAL_UNDO_MAX / 2);
    take_copy(&filter.copy, &result);
    terminal_filter_interrupt(&filter);
    terminal_filter_clear(&filter);
    return result;
}

static void check_same(struct text one, struct text other)
{
    assert(one.length == other.length && memcmp(one.data, other.data, one.length) == 0);
}

static void check_same_copy(struct text one, struct text other)
{
    assert(one.copy_length == other.copy_length && !one.copy == !other.copy);
    assert(!one.copy || memcmp(one.copy, other.copy, one.copy_length) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3)
        return 0;
    unsigned allowed = data[0] & (TERMINAL_ALL | TERMINAL_8BIT | TERMINAL_ASK_CLIPBOARD);
    const char *rest = (const char *)data + 2;
    struct text whole = filter_pieces(allowed, rest, size - 2, size - 2);
    struct text pieces = filter_pieces(allowed, rest, size - 2, 1 + data[1] % 32u);
    struct text again = filter_pieces(allowed, whole.data, whole.length, size - 2);
    check_same(whole, pieces);
    check_same(whole, again);
    check_same_copy(whole, pieces);
    assert(!again.copy); /* nothing of it has passed */
    clear(&whole);
    clear(&pieces);
    clear(&again);
    return 0;
}
