#include "common/subid.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"

#define SUBID_FILE_MAX (1 << 20)

typedef struct {
    guint64 start, count;
} range;

/* Of the user's lines "NAME-or-UID:START:COUNT". */
static GArray *read_ranges(const char *file)
{
    GArray *ranges = g_array_new(FALSE, FALSE, sizeof(range));
    g_autofree char *text = NULL;
    g_autofree char *uid = g_strdup_printf("%u", (guint)getuid());
    if (!fs_read(AT_FDCWD, file, SUBID_FILE_MAX, &text, NULL, NULL))
        return ranges;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        g_auto(GStrv) parts = g_strsplit(*line, ":", -1);
        range found;
        if (g_strv_length(parts) == 3 &&
            (!strcmp(parts[0], uid) || !strcmp(parts[0], g_get_user_name())) &&
            g_ascii_string_to_unsigned(parts[1], 10, 1, G_MAXUINT32, &found.start, NULL) &&
            g_ascii_string_to_unsigned(parts[2], 10, 1, G_MAXUINT32, &found.count, NULL))
            g_array_append_val(ranges, found);
    }
    return ranges;
}

gboolean subid_range(const char *file, guint64 *start, guint64 *count)
{
    g_autoptr(GArray) ranges = read_ranges(file);
    if (ranges->len == 0)
        return FALSE;
    *start = g_array_index(ranges, range, 0).start;
    *count = g_array_index(ranges, range, 0).count;
    return TRUE;
}

gboolean subid_is_ours(uid_t uid)
{
    static GArray *ranges;
    if (uid == getuid())
        return TRUE;
    if (!ranges)
        ranges = read_ranges("/etc/subuid");
    for (guint i = 0; i < ranges->len; i++) {
        const range *each = &g_array_index(ranges, range, i);
        if (uid >= each->start && uid - each->start < each->count)
            return TRUE;
    }
    return FALSE;
}
