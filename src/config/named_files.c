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

static void append_name(GString *text, const char *file)
{
    g_string_append_printf(text, "==> %s\n", file);
}

/* A line that is what stands for a file's name, or for contents that are not shown. */
static gboolean is_mark(const char *line)
{
    line += strspn(line, "\\");
    return g_str_has_prefix(line, "==> ") || g_str_has_prefix(line, "(cannot be read)") ||
           (line[0] == '(' && g_ascii_isdigit(line[1]));
}

/* Such lines get a "\\" in front: else the end of one file could be taken for the next one. */
static void append_escaped(GString *text, const char *lines)
{
    g_auto(GStrv) each = g_strsplit(lines, "\n", -1);
    for (char **line = each; *line; line++)
        g_string_append_printf(text, "%s%s%s", is_mark(*line) ? "\\" : "", *line,
                               line[1] ? "\n" : "");
}

static void append_bytes(GString *text, const char *data, gsize length)
{
    if (length > NAMED_FILE_SHOWN_MAX || memchr(data, '\0', length)) {
        g_autofree char *hash =
            g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)data, length);
        g_string_append_printf(text, "(%zu bytes, SHA-256 %s)\n", length, hash);
        return;
    }
    g_autofree char *lines = g_strndup(data, length);
    append_escaped(text, lines);
    if (length && data[length - 1] != '\n')
        g_string_append_c(text, '\n');
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
    if (read)
        append_bytes(text, data, length);
    else
        g_string_append(text, "(cannot be read)\n");
}

char *named_files_text(const char *project, const settings *base, const settings *now)
{
    GString *text = g_string_new(NULL);
    char *files[NAMED_FILES];
    named_files(now, files);
    for (char **file = files; *file; file++) {
        if (names(base, *file))
            continue;
        append_name(text, *file);
        append_contents(text, project, *file);
    }
    return g_string_free(text, FALSE);
}

gboolean named_files_agree(const char *text, const char *file, const char *data, gsize length)
{
    g_autoptr(GString) start = g_string_new(NULL);
    append_name(start, file);
    /* It is the first of them, unless the user's own configuration names it. */
    if (!g_str_has_prefix(text, start->str))
        return TRUE;
    append_bytes(start, data, length);
    const char *rest = text + start->len;
    return strncmp(text, start->str, start->len) == 0 && (!*rest || g_str_has_prefix(rest, "==> "));
}
