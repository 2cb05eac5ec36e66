#include "config/named_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"

/* Bytes; a Containerfile is refused long before. */
#define NAMED_FILE_MAX (16 << 20)

void named_files(const settings *wanted, char *files[NAMED_FILES])
{
    int count = 0;

    if (wanted->box.containerfile)
        files[count++] = wanted->box.containerfile;
    if (wanted->home.setup)
        files[count++] = wanted->home.setup;
    files[count] = NULL;
}

static gboolean names(const settings *wanted, const char *file)
{
    char *files[NAMED_FILES];
    named_files(wanted, files);
    return g_strv_contains((const char *const *)files, file);
}

static void append_contents(GString *text, const char *project, const char *file)
{
    g_autofree char *data = NULL;
    gsize length = 0;
    int top = open(project, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int fd = top < 0 ? -1 : fs_open_beneath(top, file, O_RDONLY | O_NONBLOCK, 0);
    gboolean read = fd >= 0 && fs_read_fd(fd, file, NAMED_FILE_MAX, &data, &length, NULL);
    if (top >= 0)
        close(top);
    if (fd >= 0)
        close(fd);
    if (!read) {
        g_string_append(text, "(cannot be read)\n");
    } else if (length > NAMED_FILE_SHOWN_MAX || strlen(data) != length) {
        g_autofree char *hash =
            g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)data, length);
        g_string_append_printf(text, "(%zu bytes, SHA-256 %s)\n", length, hash);
    } else {
        g_string_append(text, data);
        if (length && data[length - 1] != '\n')
            g_string_append_c(text, '\n');
    }
}

char *named_files_text(const char *project, const settings *base, const settings *now)
{
    GString *text = g_string_new(NULL);
    char *files[NAMED_FILES];
    named_files(now, files);
    for (char **file = files; *file; file++) {
        if (names(base, *file))
            continue;
        g_string_append_printf(text, "==> %s\n", *file);
        append_contents(text, project, *file);
    }
    return g_string_free(text, FALSE);
}
