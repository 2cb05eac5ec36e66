/* Format: NUL-terminated strings "KEY VALUE", so that any path
 * fits. */
#include "box/record.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "common/fs.h"

#define RECORD_MAX (256 * 1024)

void record_free(record *self)
{
    g_strfreev(self->pass_env);
    g_strfreev(self->protect);
    g_strfreev(self->setup);
    g_strfreev(self->workdir);
    g_strfreev(self->stamps);
    g_free(self);
}

static char *record_path(const box *self)
{
    return g_build_filename(self->runtime, "record", NULL);
}

static char *stamp(const char *path)
{
    struct stat st;
    if (lstat(path, &st) < 0)
        memset(&st, 0, sizeof st);
    return g_strdup_printf("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT ".%09ld %" G_GUINT64_FORMAT
                           " %s",
                           (gint64)st.st_size, (gint64)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
                           (guint64)st.st_ino, path);
}

/* The path in a stamp: what is behind its third space. */
static const char *stamp_path(const char *text)
{
    for (int i = 0; text && i < 3; i++) {
        text = strchr(text, ' ');
        if (text)
            text++;
    }
    return text;
}

static void add(GString *out, const char *key, const char *value)
{
    g_string_append_printf(out, "%s %s", key, value);
    g_string_append_c(out, '\0');
}

static void add_all(GString *out, const char *key, char *const *values)
{
    for (; values && *values; values++)
        add(out, key, *values);
}

gboolean record_write(const box *self, const record *known, const char *const *files,
                      GError **error)
{
    g_autofree char *path = record_path(self);
    GString *out = g_string_new(NULL);
    add_all(out, "pass", known->pass_env);
    add_all(out, "protect", known->protect);
    add_all(out, "setup", known->setup);
    add_all(out, "workdir", known->workdir);
    for (; files && *files; files++) {
        g_autofree char *its = stamp(*files);
        add(out, "file", its);
    }
    gboolean done = fs_write(path, out->str, (gssize)out->len, 0600, error);
    g_string_free(out, TRUE);
    return done;
}

/* The values of KEY among the strings in DATA. */
static char **values_of(const char *data, gsize length, const char *key)
{
    GPtrArray *values = g_ptr_array_new();
    gsize prefix = strlen(key);
    for (const char *at = data; at < data + length; at += strlen(at) + 1) {
        if (strncmp(at, key, prefix) == 0 && at[prefix] == ' ')
            g_ptr_array_add(values, g_strdup(at + prefix + 1));
    }
    g_ptr_array_add(values, NULL);
    return (char **)g_ptr_array_free(values, FALSE);
}

record *record_read(const box *self)
{
    g_autofree char *path = record_path(self);
    g_autofree char *data = NULL;
    gsize length;
    if (!fs_read(AT_FDCWD, path, RECORD_MAX, &data, &length, NULL))
        return NULL;
    record *known = g_new0(record, 1);
    known->pass_env = values_of(data, length, "pass");
    known->protect = values_of(data, length, "protect");
    known->setup = values_of(data, length, "setup");
    known->workdir = values_of(data, length, "workdir");
    known->stamps = values_of(data, length, "file");
    return known;
}

const char *record_changed(const record *self)
{
    for (char **old = self->stamps; *old; old++) {
        const char *path = stamp_path(*old);
        g_autofree char *now = path ? stamp(path) : NULL;
        if (now && strcmp(now, *old) != 0)
            return path;
    }
    return NULL;
}
