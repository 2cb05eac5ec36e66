#include "box/lifecycle/base_images.h"

#include <string.h>

#define ADDED "--from="
#define MOUNT "--mount="
#define MOUNTED "from="
/* Bytes of a name; those of registries are shorter. */
#define NAME_MAX_BYTES 1024

typedef struct {
    GHashTable *given;  /* values of arguments; those of ARG do not replace them */
    GHashTable *values; /* of ARG, before the first FROM */
    GHashTable *stages; /* their names, in lower case */
    GPtrArray *found;
    char *heredoc; /* the word that ends one; NULL: in none */
    gboolean has_from;
} parse;

/* Skips blanks; the word there, a new string, and *AT behind it; NULL at the end. */
static char *next_word(const char **at)
{
    *at += strspn(*at, " \t\r");
    gsize length = strcspn(*at, " \t\r");
    char *word = length ? g_strndup(*at, length) : NULL;
    *at += length;
    return word;
}

/* Appends the value of the variable behind the '$' at AT. What follows it; NULL: not understood. */
static const char *add_value(const parse *self, const char *at, GString *out)
{
    gboolean has_brace = *at == '{';
    const char *start = at + has_brace;
    gsize length = 0;
    while (g_ascii_isalnum(start[length]) || start[length] == '_')
        length++;
    g_autofree char *name = g_strndup(start, length);
    const char *value = g_hash_table_lookup(self->given, name), *end = start + length;
    g_autofree char *other = NULL;
    value = value ? value : g_hash_table_lookup(self->values, name);
    if (has_brace && g_str_has_prefix(end, ":-")) {
        end += strlen(":-");
        other = g_strndup(end, strcspn(end, "}"));
        end += strlen(other);
        value = value && *value ? value : other;
    }
    if (!length || !value || (has_brace && *end != '}'))
        return NULL;
    g_string_append(out, value);
    return end + has_brace;
}

/* TEXT with its variables put in, a new string; NULL: it has what is not understood. */
static char *expand(const parse *self, const char *text)
{
    g_autoptr(GString) out = g_string_new(NULL);
    for (const char *at = text; at && *at && out->len <= NAME_MAX_BYTES;) {
        if (*at != '$')
            g_string_append_c(out, *at++);
        else if (!(at = add_value(self, at + 1, out)))
            return NULL;
    }
    return out->len <= NAME_MAX_BYTES ? g_string_free(g_steal_pointer(&out), FALSE) : NULL;
}

/* Also a digest, but no transport such as "oci-archive:/path". */
static gboolean is_name(const char *text)
{
    return *text && !strstr(text, ":/") && strcmp(text, "scratch") != 0 &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:@") ==
               strlen(text);
}

static gboolean is_stage(const parse *self, const char *name)
{
    g_autofree char *lower = g_ascii_strdown(name, -1);
    return g_hash_table_contains(self->stages, lower) || strspn(name, "0123456789") == strlen(name);
}

static void add_image(parse *self, const char *text)
{
    g_autofree char *name = expand(self, text);
    if (name && is_name(name) && !is_stage(self, name) && self->found->len < BASE_IMAGES_MAX &&
        !g_ptr_array_find_with_equal_func(self->found, name, g_str_equal, NULL))
        g_ptr_array_add(self->found, g_steal_pointer(&name));
}

/* FROM [--FLAG…] IMAGE [AS STAGE] */
static void parse_from(parse *self, const char *rest)
{
    g_autofree char *word = next_word(&rest);
    while (word && g_str_has_prefix(word, "--")) {
        g_free(word);
        word = next_word(&rest);
    }
    self->has_from = TRUE;
    if (!word)
        return;
    add_image(self, word);
    g_autofree char *as = next_word(&rest);
    char *stage = as && g_ascii_strcasecmp(as, "as") == 0 ? next_word(&rest) : NULL;
    if (stage) {
        g_hash_table_add(self->stages, g_ascii_strdown(stage, -1));
        g_free(stage);
    }
}

/* NAME[=VALUE]…, of which the last counts, into VALUES. */
static void parse_arg(const parse *self, const char *rest, GHashTable *values)
{
    for (char *word; (word = next_word(&rest)); g_free(word)) {
        char *equals = strchr(word, '=');
        if (!equals)
            continue;
        *equals = '\0';
        gsize length = strlen(equals + 1);
        gboolean quoted = length > 1 && strchr("'\"", equals[1]) && equals[length] == equals[1];
        g_autofree char *raw = quoted ? g_strndup(equals + 2, length - 2) : g_strdup(equals + 1);
        char *value = expand(self, raw);
        if (value)
            g_hash_table_insert(values, g_strdup(word), value);
    }
}

static void parse_copy(parse *self, const char *rest)
{
    for (char *word; (word = next_word(&rest)); g_free(word))
        if (g_str_has_prefix(word, ADDED))
            add_image(self, word + strlen(ADDED));
}

/* RUN --mount=type=bind,from=IMAGE,… */
static void parse_run(parse *self, const char *rest)
{
    for (char *word; (word = next_word(&rest)); g_free(word)) {
        g_auto(GStrv) fields =
            g_str_has_prefix(word, MOUNT) ? g_strsplit(word + strlen(MOUNT), ",", -1) : NULL;
        for (char **field = fields; field && *field; field++)
            if (g_str_has_prefix(*field, MOUNTED))
                add_image(self, *field + strlen(MOUNTED));
    }
}

/* LINE of RUN, COPY or ADD has "<<WORD": what follows up to WORD is no instruction. */
static void begin_heredoc(parse *self, const char *line)
{
    const char *begin = strstr(line, "<<");
    if (!begin)
        return;
    begin += strlen("<<");
    begin += *begin == '-';
    begin += *begin == '"' || *begin == '\'';
    gsize length = 0;
    while (g_ascii_isalnum(begin[length]) || begin[length] == '_')
        length++;
    if (length)
        self->heredoc = g_strndup(begin, length);
}

static void parse_instruction(parse *self, const char *line)
{
    g_autofree char *word = next_word(&line);
    if (!word)
        return;
    gboolean runs = g_ascii_strcasecmp(word, "RUN") == 0;
    gboolean copies = g_ascii_strcasecmp(word, "COPY") == 0;
    if (g_ascii_strcasecmp(word, "FROM") == 0)
        parse_from(self, line);
    else if (g_ascii_strcasecmp(word, "ARG") == 0 && !self->has_from)
        parse_arg(self, line, self->values);
    else if (copies)
        parse_copy(self, line);
    else if (runs)
        parse_run(self, line);
    if (runs || copies || g_ascii_strcasecmp(word, "ADD") == 0)
        begin_heredoc(self, line);
}

/* TRUE: LINE belongs to a heredoc. */
static gboolean is_in_heredoc(parse *self, const char *line)
{
    if (!self->heredoc)
        return FALSE;
    if (strcmp(line + strspn(line, "\t"), self->heredoc) == 0)
        g_clear_pointer(&self->heredoc, g_free);
    return TRUE;
}

static void parse_lines(parse *self, const char *contents, gsize length)
{
    g_autoptr(GString) joined = g_string_new(NULL);
    g_autofree char *text = g_strndup(contents, length);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        g_strchomp(*line);
        if (is_in_heredoc(self, *line))
            continue;
        if ((*line)[strspn(*line, " \t")] == '#')
            continue;
        gboolean goes_on = g_str_has_suffix(*line, "\\");
        g_string_append_len(joined, *line, (gssize)strlen(*line) - goes_on);
        if (goes_on)
            continue;
        parse_instruction(self, joined->str);
        g_string_truncate(joined, 0);
    }
}

/* The images; *EXPANDED: TEXT with its variables put in, or NULL (expand()). */
static GPtrArray *parse_all(const char *contents, gsize length, char *const *args, const char *text,
                            char **expanded)
{
    g_autoptr(GHashTable) given = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_autoptr(GHashTable) values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_autoptr(GHashTable) stages = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    parse self = {given, values, stages, g_ptr_array_new_with_free_func(g_free), NULL, FALSE};
    for (; args && *args; args++)
        parse_arg(&self, *args, given);
    parse_lines(&self, contents, length);
    g_free(self.heredoc);
    if (text)
        *expanded = expand(&self, text);
    return self.found;
}

GPtrArray *base_images_parse(const char *contents, gsize length, char *const *args)
{
    return parse_all(contents, length, args, NULL, NULL);
}

char *base_images_expand(const char *contents, gsize length, char *const *args, const char *text)
{
    char *expanded = NULL;
    g_ptr_array_unref(parse_all(contents, length, args, text, &expanded));
    return expanded;
}
