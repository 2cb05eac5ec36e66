/* What is signed of a request: a text that both sides make of it. */
#include <sodium.h>
#include <string.h>

#include "host/secrets/sigv4.h"

/* Adds one byte; all but letters, digits and "-._~" is coded. */
static void add_coded(GString *out, char byte)
{
    if (g_ascii_isalnum(byte) || (byte && strchr("-._~", byte)))
        g_string_append_c(out, byte);
    else
        g_string_append_printf(out, "%%%02X", (guint8)byte);
}

/* The byte at *AT of TEXT, which may be coded (RFC 3986, 2.1). FALSE: "%" codes nothing. */
static gboolean next_byte(struct http_text text, gsize *at, char *byte)
{
    *byte = text.text[(*at)++];
    if (*byte != '%')
        return TRUE;
    if (text.length - *at < 2)
        return FALSE;
    int high = g_ascii_xdigit_value(text.text[*at]), low = g_ascii_xdigit_value(text.text[*at + 1]);
    *byte = (char)(16 * high + low);
    *at += 2;
    return high >= 0 && low >= 0;
}

static gboolean add_recoded(GString *out, struct http_text text, gboolean is_path)
{
    char byte;
    for (gsize at = 0; at < text.length;) {
        if (!next_byte(text, &at, &byte))
            return FALSE;
        if (is_path && byte == '/')
            g_string_append_c(out, byte);
        else
            add_coded(out, byte);
    }
    return TRUE;
}

static gboolean add_path(GString *out, struct http_text path, enum sigv4_form form)
{
    if (form == SIGV4_ONCE)
        return add_recoded(out, path, TRUE);
    for (gsize i = 0; i < path.length; i++)
        if (form == SIGV4_AS_SENT || path.text[i] == '/')
            g_string_append_c(out, path.text[i]);
        else
            add_coded(out, path.text[i]);
    return TRUE;
}

/* The query. */

typedef struct {
    char *name, *value;
} parameter;

static void parameter_clear(gpointer data)
{
    parameter *self = data;
    g_free(self->name);
    g_free(self->value);
}

static gint compare(gconstpointer a, gconstpointer b)
{
    const parameter *one = a, *other = b;
    int order = strcmp(one->name, other->name);
    return order ? order : strcmp(one->value, other->value);
}

/* NULL: it is coded in a wrong way. */
static char *recoded(struct http_text text, enum sigv4_form form)
{
    g_autoptr(GString) out = g_string_new(NULL);
    if (form == SIGV4_AS_SENT)
        g_string_append_len(out, text.text, (gssize)text.length);
    else if (!add_recoded(out, text, FALSE))
        return NULL;
    return g_string_free(g_steal_pointer(&out), FALSE);
}

static gboolean add_parameter(GArray *list, struct http_text text, enum sigv4_form form)
{
    const char *equals = memchr(text.text, '=', text.length);
    gsize length = equals ? (gsize)(equals - text.text) : text.length;
    struct http_text value = {text.text + length + 1, equals ? text.length - length - 1 : 0};
    parameter made = {recoded((struct http_text){text.text, length}, form), recoded(value, form)};
    g_array_append_val(list, made);
    return made.name && made.value;
}

static gboolean add_query(GString *out, struct http_text query, enum sigv4_form form)
{
    g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(parameter));
    g_array_set_clear_func(list, parameter_clear);
    for (gsize at = 0; at < query.length;) {
        const char *end = memchr(query.text + at, '&', query.length - at);
        gsize length = end ? (gsize)(end - query.text) - at : query.length - at;
        if (length > 0 && !add_parameter(list, (struct http_text){query.text + at, length}, form))
            return FALSE;
        at += length + 1;
    }
    g_array_sort(list, compare);
    for (guint i = 0; i < list->len; i++) {
        const parameter *each = &g_array_index(list, parameter, i);
        g_string_append_printf(out, "%s%s=%s", i ? "&" : "", each->name, each->value);
    }
    return TRUE;
}

/* "METHOD PATH?QUERY VERSION". */
static gboolean add_line(GString *out, struct http_text line, enum sigv4_form form)
{
    const char *target = memchr(line.text, ' ', line.length);
    const char *end = memrchr(line.text, ' ', line.length);
    if (!target || end <= target)
        return FALSE;
    g_string_append_len(out, line.text, target - line.text);
    g_string_append_c(out, '\n');
    target++;
    const char *mark = memchr(target, '?', (gsize)(end - target));
    struct http_text path = {target, (gsize)((mark ? mark : end) - target)};
    struct http_text query = {mark ? mark + 1 : end, mark ? (gsize)(end - mark - 1) : 0};
    if (!add_path(out, path, form))
        return FALSE;
    g_string_append_c(out, '\n');
    if (!add_query(out, query, form))
        return FALSE;
    g_string_append_c(out, '\n');
    return TRUE;
}

/* Fields. */

/* Blanks in a row count as one. */
static void add_value(GString *out, struct http_text value)
{
    for (gsize i = 0; i < value.length; i++)
        if (value.text[i] != ' ' || value.text[i - 1] != ' ')
            g_string_append_c(out, value.text[i]);
}

/* A line for NAME, with the values of all such fields. FALSE: there is none. */
static gboolean add_canonical_field(GString *out, const char *head, gsize length, const char *name)
{
    gsize at = 0;
    gboolean found = FALSE;
    struct http_text line, field, value;
    while (http_next_line(head, length, &at, &line)) {
        if (!http_split_field(line, &field, &value) || !http_is(field, name))
            continue;
        if (found)
            g_string_append_c(out, ',');
        else
            g_string_append_printf(out, "%s:", name);
        add_value(out, value);
        found = TRUE;
    }
    g_string_append_c(out, '\n');
    return found;
}

/* What follows may have a token: it is not moved, which would leave a copy behind. */
static void reserve(GString *out, gsize more)
{
    gsize length = out->len;
    g_string_set_size(out, length + more);
    g_string_truncate(out, length);
}

static gboolean add_fields(GString *out, const char *rest, gsize length, char *const *fields)
{
    for (char *const *name = fields; *name; name++)
        if (!add_canonical_field(out, rest, length, *name))
            return FALSE;
    return TRUE;
}

char *sigv4_canonical(const char *head, gsize length, char *const *fields, struct http_text payload,
                      enum sigv4_form form)
{
    gsize at = 0;
    struct http_text line;
    g_autoptr(GString) out = g_string_new(NULL);
    if (!http_next_line(head, length, &at, &line) || !add_line(out, line, form))
        return NULL;
    g_autofree char *names = g_strjoinv(";", (char **)fields);
    reserve(out, length + 2 * strlen(names) + payload.length + g_strv_length((char **)fields) + 3);
    if (!add_fields(out, head + at, length - at, fields)) {
        sodium_memzero(out->str, out->len);
        return NULL;
    }
    g_string_append_printf(out, "\n%s\n", names);
    g_string_append_len(out, payload.text, (gssize)payload.length);
    return g_string_free(g_steal_pointer(&out), FALSE);
}
