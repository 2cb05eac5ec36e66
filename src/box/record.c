/* Format: NUL-terminated strings "pass NAME" and "file STAMP", so that any path fits. */
#include "box/record.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "common/fs.h"

#define RECORD_MAX (256 * 1024)

void record_free(record *self) {
    g_strfreev(self->pass_env);
    g_strfreev(self->stamps);
    g_free(self);
}

static char *record_path(const box *self) {
    return g_build_filename(self->runtime, "record", NULL);
}

static char *stamp(const char *path) {
    struct stat st;
    if (lstat(path, &st) < 0)
        memset(&st, 0, sizeof st);
    return g_strdup_printf("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT ".%09ld %" G_GUINT64_FORMAT
                           " %s",
                           (gint64)st.st_size, (gint64)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
                           (guint64)st.st_ino, path);
}

/* The path in a stamp: what is behind its third space. */
static const char *stamp_path(const char *text) {
    for (int i = 0; text && i < 3; i++) {
        text = strchr(text, ' ');
        if (text)
            text++;
    }
    return text;
}

static void add(GString *out, const char *key, const char *value) {
    g_string_append_printf(out, "%s %s", key, value);
    g_string_append_c(out, '\0');
}

gboolean record_write(const box *self, const char *const *pass_env, const char *const *files,
                      GError **error) {
    g_autofree char *path = record_path(self);
    GString *out = g_string_new(NULL);
    for (; pass_env && *pass_env; pass_env++)
        add(out, "pass", *pass_env);
    for (; files && *files; files++) {
        g_autofree char *its = stamp(*files);
        add(out, "file", its);
    }
    gboolean done = fs_write(path, out->str, (gssize)out->len, 0600, error);
    g_string_free(out, TRUE);
    return done;
}

record *record_read(const box *self) {
    g_autofree char *path = record_path(self);
    g_autofree char *data = NULL;
    gsize length;
    if (!fs_read(AT_FDCWD, path, RECORD_MAX, &data, &length, NULL))
        return NULL;
    g_autoptr(GPtrArray) pass = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) stamps = g_ptr_array_new_with_free_func(g_free);
    for (const char *at = data; at < data + length; at += strlen(at) + 1) {
        if (g_str_has_prefix(at, "pass "))
            g_ptr_array_add(pass, g_strdup(at + 5));
        else if (g_str_has_prefix(at, "file "))
            g_ptr_array_add(stamps, g_strdup(at + 5));
    }
    g_ptr_array_add(pass, NULL);
    g_ptr_array_add(stamps, NULL);
    record *self_record = g_new0(record, 1);
    self_record->pass_env = (char **)g_ptr_array_free(g_steal_pointer(&pass), FALSE);
    self_record->stamps = (char **)g_ptr_array_free(g_steal_pointer(&stamps), FALSE);
    return self_record;
}

const char *record_changed(const record *self) {
    for (char **old = self->stamps; *old; old++) {
        const char *path = stamp_path(*old);
        g_autofree char *now = path ? stamp(path) : NULL;
        if (now && strcmp(now, *old) != 0)
            return path;
    }
    return NULL;
}
