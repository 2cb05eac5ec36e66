#include "box/branch/overlay.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "common/fs.h"

gboolean overlay_is_whiteout(const struct stat *st)
{
    return S_ISCHR(st->st_mode) && st->st_rdev == 0;
}

gboolean overlay_is_opaque(int fd)
{
    char value[2];
    ssize_t length = fgetxattr(fd, "user.overlay.opaque", value, sizeof value);
    return length == 1 && value[0] == 'y';
}

/* TRUE when UPPER has nothing at PATH, nor on the way to it, that hides what is below. */
static gboolean shows_lower(int upper, const char *path)
{
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);
    g_autoptr(GString) at = g_string_new(NULL);
    for (char **part = parts; *part; part++) {
        g_string_append_printf(at, "%s%s", at->len ? "/" : "", *part);
        int fd = fs_open_beneath(upper, at->str, O_RDONLY | O_DIRECTORY, 0);
        if (fd < 0)
            return errno == ENOENT;
        gboolean is_opaque = overlay_is_opaque(fd);
        close(fd);
        if (is_opaque)
            return FALSE;
    }
    return TRUE;
}

static char *read_file(int folder, const char *path, gsize max)
{
    char *data = NULL;
    int fd = fs_open_beneath(folder, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    if (fd < 0)
        return NULL;
    if (!fs_read_fd(fd, "file", max, &data, NULL, NULL))
        data = NULL;
    close(fd);
    return data;
}

char *overlay_read_text(int upper, int lower, const char *path, gsize max)
{
    char *text = upper < 0 ? NULL : read_file(upper, path, max);
    return text || (upper >= 0 && !shows_lower(upper, path)) ? text : read_file(lower, path, max);
}
