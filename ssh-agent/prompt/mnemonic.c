#include "mnemonic.h"

#include <string.h>

static gboolean is_free(const mnemonics *self, char c)
{
    return g_ascii_isalnum(c) && !memchr(self->used, g_ascii_tolower(c), self->count);
}

/* Beginnings of words first: they are what one looks for. */
static const char *choose(const mnemonics *self, const char *text)
{
    for (const char *p = text; *p; p++) {
        if ((p == text || p[-1] == ' ') && is_free(self, *p))
            return p;
    }
    for (const char *p = text; *p; p++) {
        if (is_free(self, *p))
            return p;
    }
    return NULL;
}

char *mnemonics_mark(mnemonics *self, const char *text)
{
    const char *at = self->count < MNEMONICS_MAX ? choose(self, text) : NULL;
    GString *out = g_string_new(NULL);

    for (const char *p = text; *p; p++) {
        if (p == at)
            g_string_append_c(out, '_');
        g_string_append_c(out, *p);
        if (*p == '_')
            g_string_append_c(out, '_');
    }
    if (at)
        self->used[self->count++] = g_ascii_tolower(*at);
    return g_string_free(out, FALSE);
}
