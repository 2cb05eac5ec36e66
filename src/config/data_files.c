#include "config/data_files.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/paths.h"
#include "common/text.h"
#include "config/layer.h"

#define SUFFIX ".toml"

static char *below_folder(const char *folder, const char *name)
{
    return g_strdup_printf("%s/%s" SUFFIX, folder, name);
}

char *data_file_own(const char *folder, const char *name)
{
    g_autofree char *tail = below_folder(folder, name);
    return paths_config(tail);
}

gboolean data_file_read(const char *folder, const char *name, char **file, char **data,
                        gsize *length, GError **error)
{
    g_autofree char *tail = below_folder(folder, name);
    *file = data_file_own(folder, name);
    if (!layer_read_own_file(*file, data, length, error))
        return FALSE;
    if (*data)
        return TRUE;
    g_free(*file);
    *file = paths_share(tail);
    return layer_read_own_file(*file, data, length, error);
}

static gboolean is_there(const char *path)
{
    return access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

gboolean data_file_exists(const char *folder, const char *name)
{
    g_autofree char *tail = below_folder(folder, name);
    g_autofree char *own = paths_config(tail), *installed = paths_share(tail);
    return is_there(own) || is_there(installed);
}

static void add_names(const char *path, gboolean (*is_valid)(const char *name), GPtrArray *out)
{
    g_autoptr(GDir) files = g_dir_open(path, 0, NULL);
    for (const char *file; files && (file = g_dir_read_name(files));) {
        if (!g_str_has_suffix(file, SUFFIX))
            continue;
        g_autofree char *name = g_strndup(file, strlen(file) - strlen(SUFFIX));
        if (is_valid(name) && !g_ptr_array_find_with_equal_func(out, name, g_str_equal, NULL))
            g_ptr_array_add(out, g_steal_pointer(&name));
    }
}

char **data_file_names(const char *folder, gboolean (*is_valid)(const char *name))
{
    g_autofree char *own = paths_config(folder), *installed = paths_share(folder);
    GPtrArray *out = g_ptr_array_new();
    add_names(own, is_valid, out);
    add_names(installed, is_valid, out);
    g_ptr_array_sort(out, text_compare);
    g_ptr_array_add(out, NULL);
    return (char **)g_ptr_array_free(out, FALSE);
}

gboolean data_file_wrong(const char *file, toml_place at, GError **error, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    g_autofree char *what = g_strdup_vprintf(format, values);
    va_end(values);
    g_autofree char *safe = text_safe(file, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG, "%s:%u:%u: %s", safe, at.line, at.column, what);
    return FALSE;
}
