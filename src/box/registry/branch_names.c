#include "box/registry/branch_names.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/registry/box.h"
#include "common/text.h"

#define FOLDER "branches"

gboolean branch_name_is_valid(const char *name)
{
    return box_name_is_valid(name) && !strchr(name, '.');
}

char *branch_folder(const char *of)
{
    g_autofree char *data = box_data_path(of);
    return g_build_filename(data, FOLDER, NULL);
}

char *branch_record(const char *of, const char *name)
{
    g_autofree char *folder = branch_folder(of);
    return g_build_filename(folder, name, "began", NULL);
}

gboolean branch_is_there(const char *of, const char *name)
{
    g_autofree char *record = branch_record(of, name);
    return access(record, F_OK) == 0;
}

gboolean branch_is_box_name(const char *name, char **of)
{
    const char *dot = strrchr(name, '.');
    g_autofree char *owner = dot ? g_strndup(name, (gsize)(dot - name)) : NULL;
    if (!owner || !box_name_is_valid(owner) || !branch_name_is_valid(dot + 1) ||
        !branch_is_there(owner, dot + 1))
        return FALSE;
    if (of)
        *of = g_steal_pointer(&owner);
    return TRUE;
}

/* Only when it is certain, as on a failing disk it is not. */
static gboolean is_left(const char *of, const char *name)
{
    struct stat st;
    g_autofree char *record = branch_record(of, name);
    return lstat(record, &st) < 0 && errno == ENOENT;
}

static char **find_names(const char *of, gboolean (*is_one)(const char *of, const char *name))
{
    g_autofree char *path = branch_folder(of);
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
    for (const char *found; folder && (found = g_dir_read_name(folder));)
        if (branch_name_is_valid(found) && is_one(of, found))
            g_ptr_array_add(names, g_strdup(found));
    g_ptr_array_sort(names, text_compare);
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&names), FALSE);
}

gboolean branch_names_are_known(const char *of, GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autofree char *path = branch_folder(of);
    g_autoptr(GDir) folder = g_dir_open(path, 0, &problem);
    if (folder || g_error_matches(problem, G_FILE_ERROR, G_FILE_ERROR_NOENT))
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&problem));
    return FALSE;
}

char **branch_names(const char *of)
{
    return find_names(of, branch_is_there);
}

char **branch_names_left(const char *of)
{
    return find_names(of, is_left);
}
