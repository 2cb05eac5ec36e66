#include "mcp/files_reply.h"

#include <string.h>

#include "box/exec/output_pieces.h"
#include "common/text.h"
#include "mcp/tools.h"

typedef struct {
    const char *at, *end;
} fields;

/* The next field, which ends with NUL; NULL: there is none. */
static const char *next(fields *self)
{
    gsize left = (gsize)(self->end - self->at);
    const char *field = self->at, *end = left ? memchr(field, '\0', left) : NULL;
    if (!end)
        return NULL;
    self->at = end + 1;
    return field;
}

static gboolean next_number(fields *self, guint64 *number)
{
    const char *field = next(self);
    return field && g_ascii_string_to_unsigned(field, 10, 0, G_MAXINT64, number, NULL);
}

static json_t *number(guint64 value)
{
    return json_integer((json_int_t)value);
}

static json_t *text(const char *field)
{
    return output_text(field, strlen(field), TRUE);
}

/* A string can have it: UTF-8 without NUL. JSON has control characters as \u001b. */
static gboolean is_text(const char *bytes, gsize length)
{
    return !memchr(bytes, '\0', length) && g_utf8_validate(bytes, (gssize)length, NULL);
}

static json_t *content(const char *bytes, gsize length, gboolean is_utf8)
{
    if (is_utf8)
        return json_stringn(bytes, length);
    g_autofree char *coded = g_base64_encode((const guchar *)bytes, length);
    return json_string(coded);
}

json_t *files_reply_read(const char *bytes, gsize length)
{
    fields from = {bytes, bytes + length};
    guint64 size, first, count, more;
    if (!next_number(&from, &size) || !next_number(&from, &first) || !next_number(&from, &count) ||
        !next_number(&from, &more))
        return NULL;
    gsize left = (gsize)(from.end - from.at);
    if (left > READ_MAX)
        return NULL;
    gboolean is_utf8 = is_text(from.at, left);
    return json_pack("{s:o, s:s, s:o, s:o, s:o, s:b}", "content", content(from.at, left, is_utf8),
                     "encoding", is_utf8 ? "utf-8" : "base64", "size", number(size), "line",
                     number(first), "lines", number(count), "truncated", more != 0);
}

json_t *files_reply_write(const char *bytes, gsize length)
{
    fields from = {bytes, bytes + length};
    guint64 size, created;
    if (!next_number(&from, &size) || !next_number(&from, &created))
        return NULL;
    return json_pack("{s:o, s:b}", "bytes", number(size), "created", created != 0);
}

json_t *files_reply_edit(const char *bytes, gsize length)
{
    fields from = {bytes, bytes + length};
    guint64 count;
    return next_number(&from, &count) ? json_pack("{s:o}", "replaced", number(count)) : NULL;
}

static const char *type_name(const char *letter)
{
    static const char *const names[] = {"f", "file", "d", "folder", "l", "link", "o", "other"};
    for (gsize i = 0; i < G_N_ELEMENTS(names); i += 2) {
        if (strcmp(names[i], letter) == 0)
            return names[i + 1];
    }
    return NULL;
}

/* Records of three fields; the last one has an empty third, and says whether there is more. */
json_t *files_reply_list(const char *bytes, gsize length)
{
    fields from = {bytes, bytes + length};
    json_t *list = json_array();
    const char *letter, *path;
    guint64 size;
    while ((letter = next(&from)) && next_number(&from, &size) && (path = next(&from))) {
        if (!*path)
            return json_pack("{s:o, s:b}", "entries", list, "truncated", size != 0);
        const char *type = type_name(letter);
        if (!type)
            break;
        json_array_append_new(list, json_pack("{s:o, s:s, s:o}", "path", text(path), "type", type,
                                              "size", number(size)));
    }
    json_decref(list);
    return NULL;
}

json_t *files_reply_search(const char *bytes, gsize length)
{
    fields from = {bytes, bytes + length};
    json_t *list = json_array();
    const char *path, *found;
    guint64 line;
    while ((path = next(&from)) && next_number(&from, &line) && (found = next(&from))) {
        if (!*path)
            return json_pack("{s:o, s:b}", "matches", list, "truncated", line != 0);
        json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "path", text(path), "line",
                                              number(line), "text", text(found)));
    }
    json_decref(list);
    return NULL;
}

gboolean files_reply_failure(const char *bytes, gsize length, int *error, char **words)
{
    fields from = {bytes, bytes + length};
    guint64 code;
    const char *said;
    if (!next_number(&from, &code) || code > 4095 || !(said = next(&from)))
        return FALSE;
    *error = (int)code;
    *words = text_safe_max(said, -1, 512);
    return TRUE;
}
