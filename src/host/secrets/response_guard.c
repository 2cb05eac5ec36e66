#include "host/secrets/response_guard.h"

#include <stdlib.h>
#include <string.h>

/* Between two letters of UTF-32. */
#define ZEROS_MAX 3

static bool is_same_byte(const struct value_search *self, char a, char b)
{
    return a == b || (self->folds && (a ^ b) == 0x20 && (a | 0x20) >= 'a' && (a | 0x20) <= 'z');
}

/* The longest match after C follows one of MATCHED bytes. */
static size_t next_match(const struct value_search *self, size_t matched, char c)
{
    while (matched > 0 && (matched == self->length || !is_same_byte(self, self->text[matched], c)))
        matched = self->fallback[matched];
    return is_same_byte(self, self->text[matched], c) ? matched + 1 : 0;
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
        self->zeros = data[i] ? 0 : self->zeros + 1;
        if (self->zeros > 0 && self->zeros <= ZEROS_MAX)
            continue;
        self->matched = next_match(self, self->matched, data[i]);
        if (self->matched == self->length)
            return true;
    }
    return false;
}

/* TRUE when what was fed ends with more than half of TEXT: if the rest follows, it must not have
 * been passed on. */
static bool value_search_is_near(const struct value_search *self)
{
    return self->matched > self->length / 2;
}

static gboolean add_searched(response_guard *self, const char *text, gsize length)
{
    return value_search_init(&self->searches[self->count++], text, length, false) == 0;
}

gboolean response_guard_init(response_guard *self, const GPtrArray *secrets,
                             const char *const *marks)
{
    gboolean done = TRUE;
    gsize extra = marks ? g_strv_length((char **)marks) : 0;
    self->searches = g_new0(struct value_search, secrets->len + extra + 1);
    for (gsize i = 0; i < extra; i++)
        done &= add_searched(self, marks[i], strlen(marks[i]));
    for (guint i = 0; i < secrets->len; i++) {
        const held_secret *held = secrets->pdata[i];
        if (held->value)
            done &= add_searched(self, (const char *)held->value->data, held->value->length);
    }
    return done;
}

static void forget_coded(response_guard *self)
{
    if (!self->coded)
        return;
    value_search_clear(&self->searches[--self->count]);
    g_clear_pointer(&self->coded, secret_free);
}

void response_guard_clear(response_guard *self)
{
    forget_coded(self);
    for (guint i = 0; i < self->count; i++)
        value_search_clear(&self->searches[i]);
    g_free(self->searches);
}

gboolean response_guard_expect(response_guard *self, const secret *coded)
{
    if (!coded || (self->coded && secret_equal(self->coded, coded)))
        return TRUE;
    forget_coded(self);
    self->coded = secret_copy(coded->data, coded->length);
    /* A server may write "%2f" for "%2F" (RFC 3986, 2.1). Base64 has no "%". */
    bool is_percent_coded = memchr(coded->data, '%', coded->length) != NULL;
    return value_search_init(&self->searches[self->count++], (const char *)self->coded->data,
                             self->coded->length, is_percent_coded) == 0;
}

gboolean response_guard_finds(response_guard *self, const char *data, gsize size)
{
    for (guint i = 0; i < self->count; i++)
        if (value_search_feed(&self->searches[i], data, size))
            return TRUE;
    return FALSE;
}

gboolean response_guard_holds(const response_guard *self)
{
    for (guint i = 0; i < self->count; i++)
        if (value_search_is_near(&self->searches[i]))
            return TRUE;
    return FALSE;
}

void response_guard_restart(response_guard *self)
{
    for (guint i = 0; i < self->count; i++)
        self->searches[i].matched = 0;
}
