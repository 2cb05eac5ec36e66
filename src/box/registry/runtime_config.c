#include "box/registry/runtime_config.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"
#include "config/settings.h"

#define VERSION "litterbox runtime configuration 1"
#define APPEARANCE "appearance"
#define FILE_STAMP "file"
/* Bytes. The default configuration has about 3 KiB. */
#define RUNTIME_CONFIG_MAX (256 * 1024)

void runtime_config_free(struct runtime_config *self)
{
    settings_free(self->settings);
    g_strfreev(self->appearance);
    g_strfreev(self->file_stamps);
    g_free(self);
}

static char *config_path(const struct box *self)
{
    return g_build_filename(self->runtime, "config", NULL);
}

static char *file_stamp(const char *path)
{
    struct stat st;
    if (lstat(path, &st) < 0)
        memset(&st, 0, sizeof st);
    return g_strdup_printf("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT ".%09ld %" G_GUINT64_FORMAT
                           " %s",
                           (gint64)st.st_size, (gint64)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
                           (guint64)st.st_ino, path);
}

/* The path in a stamp: the text after its third space. */
static const char *stamp_path(const char *stamp)
{
    for (int i = 0; stamp && i < 3; i++) {
        stamp = strchr(stamp, ' ');
        if (stamp)
            stamp++;
    }
    return stamp;
}

static void add_line(GPtrArray *lines, const char *key, const char *value)
{
    g_ptr_array_add(lines, g_strconcat(key, "=", value, NULL));
}

gboolean runtime_config_write(const struct box *self, const settings *wanted,
                              char *const *appearance, const char *const *files, GError **error)
{
    g_autofree char *path = config_path(self);
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(lines, g_strdup(VERSION));
    settings_to_options(wanted, REACHES_CLIENT, lines);
    for (; appearance && *appearance; appearance++)
        add_line(lines, APPEARANCE, *appearance);
    for (; *files; files++) {
        g_autofree char *stamp = file_stamp(*files);
        add_line(lines, FILE_STAMP, stamp);
    }
    g_autoptr(GString) out = g_string_new(NULL);
    for (guint i = 0; i < lines->len; i++)
        g_string_append_len(out, lines->pdata[i], (gssize)strlen(lines->pdata[i]) + 1);
    if (out->len > RUNTIME_CONFIG_MAX) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "the lists in the configuration are too long: at most %d KiB are possible",
                    RUNTIME_CONFIG_MAX / 1024);
        return FALSE;
    }
    return fs_write(path, out->str, (gssize)out->len, 0600, error);
}

GBytes *runtime_config_save(const struct box *self)
{
    g_autofree char *path = config_path(self);
    char *data;
    gsize length;
    return fs_read(AT_FDCWD, path, RUNTIME_CONFIG_MAX, &data, &length, NULL)
               ? g_bytes_new_take(data, length)
               : NULL;
}

void runtime_config_restore(const struct box *self, GBytes *saved)
{
    g_autofree char *path = config_path(self);
    gsize length;
    const char *data = saved ? g_bytes_get_data(saved, &length) : NULL;
    if (!data || !fs_write(path, data, (gssize)length, 0600, NULL))
        unlink(path);
}

/* Pointers to the strings in DATA, which fs_read() ends with a NUL. */
static GPtrArray *split(const char *data, gsize length)
{
    GPtrArray *lines = g_ptr_array_new();
    for (const char *at = data; at < data + length; at += strlen(at) + 1)
        g_ptr_array_add(lines, (gpointer)at);
    g_ptr_array_add(lines, NULL);
    return lines;
}

static char **values_of(const GPtrArray *lines, const char *key)
{
    GPtrArray *values = g_ptr_array_new();
    gsize length = strlen(key);
    for (guint i = 0; i + 1 < lines->len; i++) {
        const char *line = lines->pdata[i];
        if (strncmp(line, key, length) == 0 && line[length] == '=')
            g_ptr_array_add(values, g_strdup(line + length + 1));
    }
    g_ptr_array_add(values, NULL);
    return (char **)g_ptr_array_free(values, FALSE);
}

struct runtime_config *runtime_config_read(const struct box *self)
{
    g_autofree char *path = config_path(self);
    g_autofree char *data = NULL;
    gsize length;
    if (!fs_read(AT_FDCWD, path, RUNTIME_CONFIG_MAX, &data, &length, NULL))
        return NULL;
    g_autoptr(GPtrArray) lines = split(data, length);
    if (g_strcmp0(lines->pdata[0], VERSION) != 0)
        return NULL;
    settings *known = settings_from_options((const char *const *)lines->pdata, REACHES_CLIENT);
    if (!known)
        return NULL;
    struct runtime_config *config = g_new0(struct runtime_config, 1);
    config->settings = known;
    config->appearance = values_of(lines, APPEARANCE);
    config->file_stamps = values_of(lines, FILE_STAMP);
    return config;
}

const char *runtime_config_changed_file(const struct runtime_config *self)
{
    for (char **old = self->file_stamps; *old; old++) {
        const char *path = stamp_path(*old);
        g_autofree char *now = path ? file_stamp(path) : NULL;
        if (now && strcmp(now, *old) != 0)
            return path;
    }
    return NULL;
}
