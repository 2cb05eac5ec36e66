#include "box/branch/commit_changes.h"

#include <string.h>

/* Parents of a commit. */
#define PARENTS_MAX 64

gboolean git_object_is_valid(const char *text, gsize length)
{
    if (length != GIT_OBJECT_ID_LENGTH)
        return FALSE;
    for (gsize i = 0; i < length; i++)
        if (!g_ascii_isxdigit(text[i]) || g_ascii_isupper(text[i]))
            return FALSE;
    return TRUE;
}

static gboolean parse_mode(const char *text, guint32 *mode)
{
    *mode = 0;
    if (strlen(text) != 6)
        return FALSE;
    for (; *text; text++) {
        if (*text < '0' || *text > '7')
            return FALSE;
        *mode = *mode * 8 + (guint32)(*text - '0');
    }
    return TRUE;
}

/* ":MODE MODE OBJECT OBJECT STATUS", with one colon, mode and object more for each further parent.
 */
static gboolean parse_fields(const char *line, commit_change *change)
{
    gsize parents = strspn(line, ":");
    if (!parents || parents > PARENTS_MAX)
        return FALSE;
    g_auto(GStrv) fields = g_strsplit(line + parents, " ", -1);
    if (g_strv_length(fields) != 2 * (parents + 1) + 1)
        return FALSE;
    change->is_added = TRUE;
    for (gsize i = 0; i <= parents; i++) {
        const char *object = fields[parents + 1 + i];
        if (!parse_mode(fields[i], &change->mode) || !git_object_is_valid(object, strlen(object)))
            return FALSE;
        change->is_added &= i == parents || change->mode == 0;
    }
    g_strlcpy(change->object, fields[2 * parents + 1], sizeof change->object);
    return TRUE;
}

gboolean commit_changes_parse(const char *data, gsize length,
                              void (*each)(const commit_change *change, void *data), void *to)
{
    commit_change change = {0};
    const char *at = length ? data : "", *end = at + length; /* DATA may be NULL then */
    while (at < end) {
        const char *stop = memchr(at, '\0', (gsize)(end - at));
        if (!stop)
            return FALSE;
        if (git_object_is_valid(at, (gsize)(stop - at))) {
            g_strlcpy(change.commit, at, sizeof change.commit);
            at = stop + 1;
            continue;
        }
        const char *path = stop + 1;
        stop = path < end ? memchr(path, '\0', (gsize)(end - path)) : NULL;
        if (!stop || stop == path || !*change.commit || !parse_fields(at, &change))
            return FALSE;
        change.path = path;
        each(&change, to);
        at = stop + 1;
    }
    return TRUE;
}
