#include "config/devices.h"

#include <fcntl.h>
#include <string.h>

#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "config/check.h"

#define FILE_MAX (64 * 1024)

char *devices_path(const char *name)
{
    g_autofree char *tail = g_build_filename("boxes", name, "devices", NULL);
    return paths_data(tail);
}

/* NULL when LINE has another form. */
static settings_device *parse_line(const char *line)
{
    const char *wrong = NULL;
    g_auto(GStrv) parts = g_strsplit(line, "\t", 3);
    if (g_strv_length(parts) != 2)
        return NULL;
    g_autofree char *source = check_device_path(parts[0], &wrong);
    g_autofree char *target = check_device_path(parts[1], &wrong);
    if (!source || !target || strchr(target, ':'))
        return NULL;
    return settings_device_new(source, target);
}

GPtrArray *devices_parse(const char *text, gsize length, const char *file, GError **error)
{
    g_autoptr(GPtrArray) list =
        g_ptr_array_new_with_free_func((GDestroyNotify)settings_device_free);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        settings_device *device = **line ? parse_line(*line) : NULL;
        if (device)
            g_ptr_array_add(list, device);
        if ((device || !**line) && strlen(text) == length)
            continue;
        g_autofree char *safe = text_safe(file, -1);
        g_set_error(
            error, BOX_ERROR, BOX_ERROR_CONFIG,
            "%s:%d: this is no device as 'box device add' writes them: remove the file, and "
            "add the devices again",
            safe, (int)(line - lines) + 1);
        return NULL;
    }
    return g_steal_pointer(&list);
}

GPtrArray *devices_read(const char *name, GError **error)
{
    g_autofree char *path = devices_path(name);
    g_autofree char *text = NULL;
    g_autoptr(GError) problem = NULL;
    gsize length = 0;
    if (fs_read(AT_FDCWD, path, FILE_MAX, &text, &length, &problem))
        return devices_parse(text, length, path, error);
    if (g_error_matches(problem, G_FILE_ERROR, G_FILE_ERROR_NOENT) ||
        g_error_matches(problem, G_FILE_ERROR, G_FILE_ERROR_NOTDIR))
        return devices_parse("", 0, path, error);
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_CONFIG, problem->message);
    return NULL;
}

gboolean devices_write(const char *name, const GPtrArray *list, GError **error)
{
    g_autofree char *path = devices_path(name);
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < list->len; i++) {
        const settings_device *device = g_ptr_array_index(list, i);
        g_string_append_printf(text, "%s\t%s\n", device->source, device->target);
    }
    return fs_write(path, text->str, (gssize)text->len, 0600, error);
}
