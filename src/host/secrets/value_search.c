#include "host/secrets/value_search.h"

#include <stdlib.h>
#include <string.h>

static bool is_same(const struct value_search *self, char a, char b)
{
    return a == b || (self->folds && (a ^ b) == 0x20 && (a | 0x20) >= 'a' && (a | 0x20) <= 'z');
}

/* The longest match after C follows one of MATCHED bytes. */
static size_t next_match(const struct value_search *self, size_t matched, char c)
{
    while (matched > 0 && (matched == self->length || !is_same(self, self->text[matched], c)))
        matched = self->fallback[matched];
    return is_same(self, self->text[matched], c) ? matched + 1 : 0;
}

int value_search_init(struct value_search *self, const char *text, size_t length, bool folds)
{
    *self = (struct value_search){.text = text, .length = length, .folds = folds};
    self->fallback = calloc(length + 1, sizeof *self->fallback);
    if (!self->fallback)
        return -1;
    for (size_t i = 1; i < length; i++)
        self->fallback[i + 1] = (uint16_t)next_match(self, self->fallback[i], text[i]);
    return 0;
}

void value_search_clear(struct value_search *self)
{
    free(self->fallback);
    *self = (struct value_search){0};
}

bool value_search_feed(struct value_search *self, const char *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (self->matched == 0 && !self->folds) {
            const char *first = memchr(data + i, self->text[0], size - i);
            if (!first)
                return false;
            i = (size_t)(first - data);
        }
        self->matched = next_match(self, self->matched, data[i]);
        if (self->matched == self->length)
            return true;
    }
    return false;
}

bool value_search_is_near(const struct value_search *self)
{
    return self->matched > self->length / 2;
}
