#include "common/text.h"

#include <string.h>

/* Combining marks in a row: more than any living script needs would draw over other lines. */
#define MARKS_MAX 4
#define ELLIPSIS "\xe2\x80\xa6"
/* Longest word that text_nearest() compares, in bytes. */
#define NEAREST_MAX 64
/* Of a name of a host: as long as one in DNS (RFC 1035). */
#define HOST_NAME_SHOWN_MAX 253

/* Characters that are printable according to Unicode but drawn as nothing: they would make
 * different texts look the same. */
static gboolean is_invisible(gunichar c)
{
    return c == 0x034F || c == 0x115F || c == 0x1160 || c == 0x17B4 || c == 0x17B5 ||
           (c >= 0x180B && c <= 0x180F) || c == 0x2800 || c == 0x3164 ||
           (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFFA0 || c == 0xFFFC || c == 0x13441 ||
           c == 0x13442 || c == 0x16FE4 || c == 0x1D159 || (c >= 0xE0000 && c <= 0xE0FFF);
}

/* Letters and symbols that combine with the character before them: conjoining vowels and final
 * consonants of Hangul, half-width sound marks of Katakana, skin tones. */
static gboolean is_joining(gunichar c)
{
    return (c >= 0x1160 && c <= 0x11FF) || (c >= 0xD7B0 && c <= 0xD7FF) || c == 0xFF9E ||
           c == 0xFF9F || (c >= 0x1F3FB && c <= 0x1F3FF) || g_unichar_iszerowidth(c);
}

static gboolean is_mark(gunichar c)
{
    GUnicodeType type = g_unichar_type(c);
    return is_joining(c) || type == G_UNICODE_NON_SPACING_MARK ||
           type == G_UNICODE_ENCLOSING_MARK || type == G_UNICODE_SPACING_MARK;
}

static gboolean is_dangerous(gunichar c)
{
    switch (g_unichar_type(c)) {
    case G_UNICODE_CONTROL:
    case G_UNICODE_FORMAT: /* bidi controls, joiners, tags */
    case G_UNICODE_UNASSIGNED:
    case G_UNICODE_PRIVATE_USE:
    case G_UNICODE_SURROGATE:
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR:
        return TRUE;
    case G_UNICODE_SPACE_SEPARATOR:
        return c != ' ';
    default:
        return is_invisible(c) || !g_unichar_isprint(c);
    }
}

gboolean text_safe_char(gunichar c)
{
    return !is_dangerous(c);
}

static void append_escaped(GString *out, gunichar c)
{
    if (c == '\n')
        g_string_append(out, "\\n");
    else if (c == '\t')
        g_string_append(out, "\\t");
    else if (c < 0x80)
        g_string_append_printf(out, "\\x%02x", c);
    else
        g_string_append_printf(out, "\\u{%04x}", c);
}

/* Bytes of printable ASCII at the start of TEXT. Most text is nothing else. */
static gsize plain_run(const char *text, const char *end)
{
    const char *p = text;
    while (p < end && *p >= ' ' && *p <= '~')
        p++;
    return (gsize)(p - text);
}

static GString *escape_all(const char *text, gsize length)
{
    GString *out = g_string_sized_new(MIN(length, TEXT_SAFE_MAX) + 16);
    const char *end = text + length;
    /* A mark at the start would combine with the text that the caller prints before. */
    int marks = MARKS_MAX;

    for (const char *p = text; p < end;) {
        gsize plain = plain_run(p, end);
        if (plain) {
            g_string_append_len(out, p, (gssize)plain);
            p += plain;
            marks = 0;
            continue;
        }
        gunichar c = g_utf8_get_char_validated(p, end - p);
        if (c == (gunichar)-1 || c == (gunichar)-2) {
            g_string_append_printf(out, "\\x%02x", (guchar)*p++);
            marks = MARKS_MAX;
            continue;
        }
        gsize size = c ? g_utf8_skip[(guchar)*p] : 1;
        gboolean mark = is_mark(c);
        if (is_dangerous(c) || (mark && marks >= MARKS_MAX)) {
            append_escaped(out, c);
            marks = MARKS_MAX;
        } else {
            g_string_append_len(out, p, size);
            marks = mark ? marks + 1 : 0;
        }
        p += size;
    }
    return out;
}

/* Replaces the middle of OUT by an ellipsis, so that at most MAX bytes remain. Cuts between
 * characters, and not between a character and its marks. */
static void shorten(GString *out, gsize max)
{
    gsize kept = max - strlen(ELLIPSIS);
    gsize head = kept / 2, tail = out->len - (kept - kept / 2);

    while (head > 0 && (out->str[head] & 0xC0) == 0x80)
        head--;
    while (tail < out->len &&
           ((out->str[tail] & 0xC0) == 0x80 || is_mark(g_utf8_get_char(out->str + tail))))
        tail++;
    g_string_erase(out, head, tail - head);
    g_string_insert(out, head, ELLIPSIS);
}

char *text_safe_max(const char *text, gssize length, gsize max)
{
    if (!text)
        return g_strdup("");
    GString *out = escape_all(text, length < 0 ? strlen(text) : (gsize)length);
    max = MAX(max, 16);
    if (out->len > max)
        shorten(out, max);
    return g_string_free(out, FALSE);
}

static gboolean is_plain_word(const char *text, gsize length)
{
    for (gsize i = 0; i < length; i++)
        if (!g_ascii_isalnum(text[i]) && text[i] != '.' && text[i] != '_' && text[i] != '-')
            return FALSE;
    return length > 0;
}

char *text_quoted(const char *text, gssize length, gsize max)
{
    gsize size = length < 0 ? strlen(text) : (gsize)length;
    const char *end = text + size;
    max = MAX(max, 16);
    if (size <= max && is_plain_word(text, size))
        return g_strndup(text, size);
    g_autoptr(GString) inner = g_string_new(NULL);
    for (const char *p = text; p < end;) {
        gunichar c = g_utf8_get_char_validated(p, end - p);
        gboolean whole = c != (gunichar)-1 && c != (gunichar)-2;
        if (!whole)
            g_string_append_printf(inner, "\\x%02x", (guchar)*p);
        else if (c < ' ' || c > '~' || c == '"' || c == '\\' ||
                 (c == ' ' && p > text && p[-1] == ' '))
            append_escaped(inner, c);
        else
            g_string_append_c(inner, (char)c);
        p += whole && c ? g_utf8_skip[(guchar)*p] : 1;
    }
    /* A cut through an escape sequence is harmless: no unescaped quote can appear. */
    if (inner->len > max)
        shorten(inner, max);
    return g_strdup_printf("\"%s\"", inner->str);
}

char *text_safe(const char *text, gssize length)
{
    return text_safe_max(text, length, TEXT_SAFE_MAX);
}

gboolean text_cut_path(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

char *text_shell_quote(const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "_@%+=:,./-";
    /* zsh expands a leading "=". */
    if (*text && *text != '=' && !text[strspn(text, plain)])
        return g_strdup(text);
    return g_shell_quote(text);
}

/* Edits (insert, delete, replace, swap of neighbours) from A to B; both at most NEAREST_MAX long.
 */
static int distance(const char *a, const char *b)
{
    int row[3][NEAREST_MAX + 1], *older = row[0], *last = row[1], *now = row[2];
    int la = strlen(a), lb = strlen(b);

    for (int j = 0; j <= lb; j++)
        last[j] = j;
    for (int i = 1; i <= la; i++) {
        now[0] = i;
        for (int j = 1; j <= lb; j++) {
            int best = last[j - 1] + (a[i - 1] != b[j - 1]);
            best = MIN(best, MIN(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = MIN(best, older[j - 2] + 1);
            now[j] = best;
        }
        int *spare = older;
        older = last;
        last = now;
        now = spare;
    }
    return last[lb];
}

const char *text_nearest(const char *word, const char *const *candidates)
{
    gsize length = strlen(word);
    const char *nearest = NULL;
    int edits = length < 6 ? 2 : 3;

    if (length < 3 || length > NEAREST_MAX)
        return NULL;
    for (; *candidates; candidates++) {
        if (strlen(*candidates) > NEAREST_MAX)
            continue;
        int d = distance(word, *candidates);
        if (word[0] != (*candidates)[0] && (d > 1 || length < 4))
            continue;
        if (d < edits) {
            edits = d;
            nearest = *candidates;
        }
    }
    return nearest;
}

char *text_quote(const char *text, gboolean fish)
{
    GString *quoted = g_string_new("'");

    for (; *text; text++) {
        if (*text == '\'')
            g_string_append(quoted, fish ? "\\'" : "'\\''");
        else if (*text == '\\' && fish)
            g_string_append(quoted, "\\\\");
        else
            g_string_append_c(quoted, *text);
    }
    return g_string_free(g_string_append_c(quoted, '\''), FALSE);
}

char *text_new_id(void)
{
    return g_strdup_printf("%08x%08x", g_random_int(), g_random_int());
}

char **text_list(GPtrArray *list)
{
    g_ptr_array_add(list, NULL);
    return (char **)g_ptr_array_free(list, FALSE);
}

gint text_compare(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

gboolean text_has_only(const char *text, const char *others)
{
    for (; *text; text++)
        if (!g_ascii_isalnum(*text) && !strchr(others, *text))
            return FALSE;
    return TRUE;
}

/* The name of each script once. Digits, hyphens and combining marks have none. */
static char *scripts_of(const char *letters)
{
    static const struct {
        GUnicodeScript script;
        const char *name;
    } known[] = {
        {G_UNICODE_SCRIPT_LATIN, "Latin"},       {G_UNICODE_SCRIPT_CYRILLIC, "Cyrillic"},
        {G_UNICODE_SCRIPT_GREEK, "Greek"},       {G_UNICODE_SCRIPT_ARMENIAN, "Armenian"},
        {G_UNICODE_SCRIPT_HAN, "Chinese"},       {G_UNICODE_SCRIPT_HIRAGANA, "Hiragana"},
        {G_UNICODE_SCRIPT_KATAKANA, "Katakana"}, {G_UNICODE_SCRIPT_HANGUL, "Korean"},
        {G_UNICODE_SCRIPT_ARABIC, "Arabic"},     {G_UNICODE_SCRIPT_HEBREW, "Hebrew"},
        {G_UNICODE_SCRIPT_THAI, "Thai"},         {G_UNICODE_SCRIPT_DEVANAGARI, "Devanagari"},
    };
    GString *names = g_string_new(NULL);
    for (; *letters; letters = g_utf8_next_char(letters)) {
        GUnicodeScript script = g_unichar_get_script(g_utf8_get_char(letters));
        const char *name = "other";
        for (gsize i = 0; i < G_N_ELEMENTS(known); i++)
            if (known[i].script == script)
                name = known[i].name;
        if (script == G_UNICODE_SCRIPT_COMMON || script == G_UNICODE_SCRIPT_INHERITED ||
            strstr(names->str, name))
            continue;
        g_string_append_printf(names, "%s%s", names->len ? ", " : "", name);
    }
    return g_string_free(names, FALSE);
}

char *host_name_unicode(const char *host, char **scripts)
{
    g_autofree char *letters = *host == '[' ? NULL : g_hostname_to_unicode(host);
    /* A label that cannot be decoded is shown as it is, also with a warning. */
    gboolean is_coded = strstr(host, "xn--") != NULL;
    if (!is_coded)
        return NULL;
    g_autofree char *shown = text_safe_max(letters ? letters : host, -1, HOST_NAME_SHOWN_MAX);
    *scripts = scripts_of(shown);
    return g_steal_pointer(&shown);
}
