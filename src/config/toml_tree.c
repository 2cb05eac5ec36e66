#include "config/toml.h"

#include <string.h>

void toml_free(toml_tree *tree)
{
    if (!tree)
        return;
    g_free(tree->key);
    g_free(tree->string);
    g_clear_pointer(&tree->children, g_ptr_array_unref);
    g_free(tree);
}

const toml_tree *toml_get(const toml_tree *tree, const char *key)
{
    if (tree->kind != TOML_TABLE)
        return NULL;
    for (guint i = 0; i < tree->children->len; i++) {
        const toml_tree *child = g_ptr_array_index(tree->children, i);
        if (!strcmp(child->key, key))
            return child;
    }
    return NULL;
}

const char *toml_kind_name(toml_kind kind)
{
    static const char *const names[] = {
        [TOML_STRING] = "a string",
        [TOML_INTEGER] = "a whole number",
        [TOML_DOUBLE] = "a number with a fraction",
        [TOML_BOOLEAN] = "true or false",
        [TOML_DATE] = "a date or time",
        [TOML_ARRAY] = "a list",
        [TOML_TABLE] = "a table",
    };
    return names[kind];
}

/*
 * The dots of a key stand outside of strings and comments, with nothing but key characters, blanks
 * and quoted segments between them. So it is enough to follow strings and comments and to count.
 * Where a file is malformed this may count wrongly, and toml++ stops at that very place.
 */
typedef struct {
    const char *p, *end;
    guint line, column;
} scanner;

static void advance(scanner *s, gsize bytes)
{
    for (; bytes > 0 && s->p < s->end; bytes--, s->p++) {
        if (*s->p == '\n') {
            s->line++;
            s->column = 1;
        } else if (((guchar)*s->p & 0xC0) != 0x80) {
            s->column++;
        }
    }
}

static gboolean starts(const scanner *s, const char *with)
{
    gsize length = strlen(with);
    return (gsize)(s->end - s->p) >= length && !memcmp(s->p, with, length);
}

static void skip_string(scanner *s)
{
    char quote = *s->p;
    const char *three = quote == '"' ? "\"\"\"" : "'''";
    gboolean multi = starts(s, three);

    advance(s, multi ? 3 : 1);
    while (s->p < s->end) {
        if (quote == '"' && *s->p == '\\') {
            advance(s, 2);
        } else if (multi && starts(s, three)) {
            /* Up to two quotes more may belong to the text. */
            advance(s, 3);
            for (int i = 0; i < 2 && s->p < s->end && *s->p == quote; i++)
                advance(s, 1);
            return;
        } else if (!multi && (*s->p == quote || *s->p == '\n')) {
            advance(s, 1);
            return;
        } else {
            advance(s, 1);
        }
    }
}

/* What is wrong with the character at S, outside of strings and comments. */
static const char *scan_character(const scanner *s, int *dots)
{
    if (*s->p == '.' && ++*dots >= TOML_DEPTH_MAX)
        return "a key has more than " G_STRINGIFY(TOML_DEPTH_MAX) " segments";
    if ((guchar)*s->p >= 0x80)
        return "characters beyond ASCII need quotes";
    if (*s->p && strchr("=,[]{}\n", *s->p))
        *dots = 0;
    return NULL;
}

const char *toml_scan(const char *text, gsize length, toml_place *at)
{
    scanner s = {text, text + length, 1, 1};
    int dots = 0;

    if (starts(&s, "\xef\xbb\xbf"))
        s.p += 3; /* a byte order mark */
    while (s.p < s.end) {
        if (*s.p == '"' || *s.p == '\'') {
            skip_string(&s);
        } else if (*s.p == '#') {
            while (s.p < s.end && *s.p != '\n')
                advance(&s, 1);
        } else {
            const char *wrong = scan_character(&s, &dots);
            if (wrong) {
                *at = (toml_place){s.line, s.column};
                return wrong;
            }
            advance(&s, 1);
        }
    }
    return NULL;
}
