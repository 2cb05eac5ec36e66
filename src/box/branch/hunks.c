#include "box/branch/hunks.h"

#include <string.h>

/* A text that is read line by line. */
typedef struct {
    hunk_text text;
    gsize at;
    guint64 line; /* number of the next one, from 0 */
} reader;

/* Moves behind the next line; its end is left out. FALSE at the end. */
static gboolean next_line(reader *self, hunk_text *line)
{
    const char *start = self->text.data + self->at;
    gsize left = self->text.length - self->at;
    const char *stop = left ? memchr(start, '\n', left) : NULL;
    if (!left)
        return FALSE;
    *line = (hunk_text){start, stop ? (gsize)(stop - start) : left};
    self->at += line->length + (stop ? 1 : 0);
    self->line++;
    return TRUE;
}

/* Moves behind the next line if it is LINE, and ends the text without a line end if IS_OPEN. */
static gboolean take_line(reader *self, hunk_text line, gboolean is_open)
{
    hunk_text found;
    gsize before = self->at;
    return next_line(self, &found) && found.length == line.length &&
           memcmp(found.data, line.data, line.length) == 0 &&
           (self->at - before == line.length) == is_open;
}

/* "LINE" or "LINE,COUNT", and what follows it; NULL. */
static const char *parse_range(const char *text, guint64 *line, guint64 *count)
{
    char *end;
    *count = 1;
    if (!g_ascii_isdigit(*text))
        return NULL;
    *line = g_ascii_strtoull(text, &end, 10);
    if (*end != ',')
        return end;
    if (!g_ascii_isdigit(end[1]))
        return NULL;
    *count = g_ascii_strtoull(end + 1, &end, 10);
    return end;
}

/* "@@ -1,2 +3,4 @@": the lines from number LINE (from 0) of the old text, and how many of both. */
static gboolean parse_head(hunk_text text, guint64 *line, guint64 *old_count, guint64 *new_count)
{
    guint64 new_line;
    g_autofree char *head = g_strndup(text.data, text.length);
    const char *end =
        g_str_has_prefix(head, "@@ -") ? parse_range(head + 4, line, old_count) : NULL;
    end = end && g_str_has_prefix(end, " +") ? parse_range(end + 2, &new_line, new_count) : NULL;
    /* Of no lines it is the one in front of them. */
    if (end && *old_count && (*line)-- == 0)
        return FALSE;
    return end && strcmp(end, " @@") == 0;
}

/* Both texts are the same up to LINE of the old one. */
static gboolean skip_to(reader *from, reader *to, guint64 line)
{
    gsize from_at = from->at, to_at = to->at;
    hunk_text unused;
    while (from->line < line)
        if (!next_line(from, &unused) || !next_line(to, &unused))
            return FALSE;
    gsize length = from->at - from_at;
    return from->line == line && length == to->at - to_at &&
           memcmp(from->text.data + from_at, to->text.data + to_at, length) == 0;
}

/* The lines of a hunk: OLD_COUNT and NEW_COUNT of the texts. */
static gboolean parse_lines(reader *difference, reader *old, reader *new, guint64 old_count,
                            guint64 new_count)
{
    hunk_text line;
    while (old_count || new_count) {
        if (!next_line(difference, &line) || !line.length)
            return FALSE;
        char kind = *line.data;
        hunk_text content = {line.data + 1, line.length - 1};
        /* "\ No newline at end of file" */
        gboolean is_open = difference->at < difference->text.length &&
                           difference->text.data[difference->at] == '\\';
        gboolean is_old = kind == ' ' || kind == '-', is_new = kind == ' ' || kind == '+';
        if ((!is_old && !is_new) || (is_old && !old_count--) || (is_new && !new_count--) ||
            (is_old && !take_line(old, content, is_open)) ||
            (is_new && !take_line(new, content, is_open)) ||
            (is_open && !next_line(difference, &line)))
            return FALSE;
    }
    return TRUE;
}

static gboolean is_rest_same(const reader *old, const reader *new)
{
    gsize left = old->text.length - old->at;
    return left == new->text.length - new->at &&
           (!left || memcmp(old->text.data + old->at, new->text.data + new->at, left) == 0);
}

/* The lines in front of the first hunk, which name both files, have been read. */
static gboolean skip_names(reader *difference)
{
    hunk_text line;
    while (difference->at < difference->text.length && difference->text.data[difference->at] != '@')
        if (!next_line(difference, &line) || difference->line > 2)
            return FALSE;
    return TRUE;
}

GArray *hunks_parse(hunk_text difference, hunk_text old, hunk_text new)
{
    reader in = {.text = difference}, from = {.text = old}, to = {.text = new};
    g_autoptr(GArray) hunks = g_array_new(FALSE, FALSE, sizeof(hunk));
    hunk_text head;
    if (!skip_names(&in))
        return NULL;
    while (in.at < difference.length) {
        guint64 line, old_count, new_count;
        gsize start = in.at;
        if (!next_line(&in, &head) || !parse_head(head, &line, &old_count, &new_count) ||
            !skip_to(&from, &to, line))
            return NULL;
        hunk each = {.from = from.at, .to = to.at};
        if (!parse_lines(&in, &from, &to, old_count, new_count))
            return NULL;
        each.from_end = from.at;
        each.to_end = to.at;
        each.shown = (hunk_text){difference.data + start, in.at - start};
        g_array_append_val(hunks, each);
    }
    return is_rest_same(&from, &to) ? g_steal_pointer(&hunks) : NULL;
}

GString *hunks_apply(const GArray *hunks, hunk_text old, hunk_text new)
{
    GString *text = g_string_sized_new(MAX(old.length, new.length));
    gsize at = 0;
    for (guint i = 0; i < hunks->len; i++) {
        const hunk *each = &g_array_index(hunks, hunk, i);
        if (!each->is_chosen)
            continue;
        g_string_append_len(text, old.data + at, (gssize)(each->from - at));
        g_string_append_len(text, new.data + each->to, (gssize)(each->to_end - each->to));
        at = each->from_end;
    }
    return g_string_append_len(text, old.data + at, (gssize)(old.length - at));
}
