#include "common/subid.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"

/* Largest /etc/subuid that is read, in bytes: more than 30,000 users' lines. */
#define SUBID_FILE_MAX (1 << 20)

GArray *subid_parse(const char *text, const char *user, guint uid)
{
    GArray *ranges = g_array_new(FALSE, FALSE, sizeof(subid_range));
    g_autofree char *number = g_strdup_printf("%u", uid);
    g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
    for (char **line = lines; *line; line++) {
        g_auto(GStrv) parts = g_strsplit(*line, ":", 4);
        subid_range found;
        if (g_strv_length(parts) == 3 &&
            (g_strcmp0(parts[0], user) == 0 || strcmp(parts[0], number) == 0) &&
            g_ascii_string_to_unsigned(parts[1], 10, 1, G_MAXUINT32, &found.start, NULL) &&
            g_ascii_string_to_unsigned(g_strstrip(parts[2]), 10, 1, G_MAXUINT32, &found.count,
                                       NULL))
            g_array_append_val(ranges, found);
    }
    return ranges;
}

static GArray *read_ranges(const char *file)
{
    g_autofree char *text = NULL;
    fs_read(AT_FDCWD, file, SUBID_FILE_MAX, &text, NULL, NULL);
    return subid_parse(text, g_get_user_name(), getuid());
}

gboolean subid_first(const char *file, subid_range *first)
{
    g_autoptr(GArray) ranges = read_ranges(file);
    if (ranges->len > 0)
        *first = g_array_index(ranges, subid_range, 0);
    return ranges->len > 0;
}

gboolean subid_is_ours(uid_t uid)
{
    static GArray *ranges;
    if (uid == getuid())
        return TRUE;
    if (!ranges)
        ranges = read_ranges("/etc/subuid");
    for (guint i = 0; i < ranges->len; i++) {
        const subid_range *range = &g_array_index(ranges, subid_range, i);
        if (uid >= range->start && uid - range->start < range->count)
            return TRUE;
    }
    return FALSE;
}
