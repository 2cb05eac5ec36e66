/* Format: NUL-terminated strings "KEY VALUE", so that any path
 * fits. */
#include "box/record.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "common/fs.h"

#define RECORD_MAX (256 * 1024)

/* Each kind of string, and its field. */
static const struct {
    const char *key;
    gsize offset;
} fields[] = {
    {"pass", G_STRUCT_OFFSET(record, pass_env)},
    {"protect", G_STRUCT_OFFSET(record, protect)},
    {"setup", G_STRUCT_OFFSET(record, setup)},
    {"workdir", G_STRUCT_OFFSET(record, workdir)},
    {"editor", G_STRUCT_OFFSET(record, editor)},
    {"terminal", G_STRUCT_OFFSET(record, terminal)},
    {"wayland", G_STRUCT_OFFSET(record, wayland)},
    {"x11", G_STRUCT_OFFSET(record, x11)},
    {"clipboard", G_STRUCT_OFFSET(record, clipboard)},
    {"open", G_STRUCT_OFFSET(record, open)},
    {"notify", G_STRUCT_OFFSET(record, notify)},
    {"sound", G_STRUCT_OFFSET(record, sound)},
    {"microphone", G_STRUCT_OFFSET(record, microphone)},
    {"look", G_STRUCT_OFFSET(record, look)},
    {"file", G_STRUCT_OFFSET(record, stamps)},
};

static char ***field(const record *self, gsize i)
{
    return (char ***)((char *)self + fields[i].offset);
}

void record_free(record *self)
{
    for (gsize i = 0; i < G_N_ELEMENTS(fields); i++)
        g_strfreev(*field(self, i));
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
    for (gsize i = 0; i < G_N_ELEMENTS(fields); i++)
        add_all(out, fields[i].key, *field(known, i));
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
    for (gsize i = 0; i < G_N_ELEMENTS(fields); i++)
        *field(known, i) = values_of(data, length, fields[i].key);
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
