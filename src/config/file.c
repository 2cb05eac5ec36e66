#include "config/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/error.h"
#include "common/fs.h"
#include "common/text.h"
#include "config/config.h"

static gboolean fail(GError **error, const char *path)
{
    int saved = errno;
    g_autofree char *safe = text_safe(path, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG, "%s: cannot be read: %s", safe,
                saved == ELOOP ? "symbolic links are not followed here" : g_strerror(saved));
    return FALSE;
}

/* Reads FD, closes it, and makes whatever is wrong a BOX_ERROR_CONFIG. */
static gboolean read_and_close(int fd, const char *path, char **data, gsize *length, GError **error)
{
    g_autoptr(GError) wrong = NULL;
    gboolean ok = fs_read_fd(fd, path, CONFIG_FILE_MAX, data, length, &wrong);
    close(fd);
    if (!ok)
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_CONFIG, wrong->message);
    return ok;
}

gboolean file_read_own(const char *path, char **data, gsize *length, GError **error)
{
    *data = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR ? TRUE : fail(error, path);
    return read_and_close(fd, path, data, length, error);
}

gboolean file_read_project(const char *project, char **data, gsize *length, GError **error)
{
    g_autofree char *path = g_build_filename(project, PROJECT_FILE, NULL);
    struct stat st;

    *data = NULL;
    int folder = open(project, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return fail(error, project);
    int fd = fs_open_beneath(folder, PROJECT_FILE, O_RDONLY | O_NONBLOCK, 0);
    int saved = errno;
    close(folder);
    errno = saved;
    if (fd < 0)
        return errno == ENOENT ? TRUE : fail(error, path);
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        close(fd);
        return TRUE;
    }
    if (!read_and_close(fd, path, data, length, error))
        return FALSE;
    if (!*length)
        g_clear_pointer(data, g_free); /* a placeholder, too */
    if (!*data)
        return TRUE;
    /* Kept and compared as text: nothing may hide behind a NUL. */
    if (strlen(*data) == *length)
        return TRUE;
    g_autofree char *safe = text_safe(path, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG, "%s: contains a NUL character", safe);
    g_clear_pointer(data, g_free);
    return FALSE;
}
