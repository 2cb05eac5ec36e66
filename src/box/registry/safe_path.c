/* Programs, PATH entries and links of the host that a box could have written. */
#include "box/registry/registry.h"

#include <unistd.h>

#include "common/fs.h"
#include "common/paths.h"

/* TRUE when a box can write PATH. */
static gboolean is_written_by_box(const char *path, char **writable)
{
    g_autofree char *homes = paths_data("boxes");
    g_autoptr(GPtrArray) via = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *real = fs_resolve(homes, via); /* the user's data folder may be a link */
    for (char **folder = writable; *folder; folder++)
        if (fs_is_below(path, *folder))
            return TRUE;
    return fs_is_below(path, homes) || (real && fs_is_below(path, real));
}

/* The first of PATHS that a box can put something else in the place of, a new string; NULL when
 * there is none. A project's own folder stays where it is: the box has it as a mount. */
static char *first_replaceable(const GPtrArray *paths, char **writable)
{
    for (guint i = 0; i < paths->len; i++) {
        g_autofree char *above = g_path_get_dirname(paths->pdata[i]);
        if (is_written_by_box(above, writable))
            return g_strdup(paths->pdata[i]);
    }
    return NULL;
}

char *safe_path_resolve(const char *path, char **writable, char **link)
{
    g_autoptr(GPtrArray) via = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *real = fs_resolve(path, via);
    *link = first_replaceable(via, writable);
    return *link ? NULL : g_steal_pointer(&real);
}

char *safe_path_refusal(const char *file, char **writable)
{
    g_autoptr(GPtrArray) via = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) left = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *real = fs_resolve_leaving(file, via, left);
    if (!real)
        return g_strdup("");
    char *on_way = first_replaceable(via, writable);
    if (!on_way)
        on_way = first_replaceable(left, writable);
    if (on_way)
        return on_way;
    return is_written_by_box(real, writable) ? g_steal_pointer(&real) : NULL;
}

char *safe_path(const char *path, char **writable,
                void (*left_out)(const char *entry, const char *why))
{
    g_auto(GStrv) entries = g_strsplit(path ? path : "", ":", -1);
    g_autoptr(GPtrArray) kept = g_ptr_array_new();
    for (char **entry = entries; *entry; entry++) {
        gboolean absolute = g_path_is_absolute(*entry);
        g_autofree char *why = absolute ? safe_path_refusal(*entry, writable) : NULL;
        if (absolute && !why)
            g_ptr_array_add(kept, *entry);
        else if (left_out && (!absolute || *why))
            left_out(*entry, why);
    }
    g_ptr_array_add(kept, NULL);
    return g_strjoinv(":", (char **)kept->pdata);
}

/* An empty PATH would stand for the current folder. */
#define PATH_OF_SYSTEM "/usr/local/bin:/usr/bin:/bin"

static char *own_path(char **writable)
{
    char *path = safe_path(g_getenv("PATH"), writable, NULL);
    if (*path)
        return path;
    g_free(path);
    return g_strdup(PATH_OF_SYSTEM);
}

void safe_path_set(void)
{
    g_auto(GStrv) writable = registry_writable_folders();
    g_autofree char *path = own_path(writable);
    g_setenv("PATH", path, TRUE);
}

char *safe_path_find(const char *name)
{
    g_auto(GStrv) writable = registry_writable_folders();
    g_autofree char *path = own_path(writable);
    g_auto(GStrv) folders = g_strsplit(path, ":", -1);
    for (char **folder = folders; *folder; folder++) {
        g_autofree char *program = g_build_filename(*folder, name, NULL);
        g_autofree char *refusal = safe_path_refusal(program, writable);
        if (!refusal && access(program, X_OK) == 0)
            return g_steal_pointer(&program);
    }
    return NULL;
}

char *host_program(const char *name, const char *instead, GError **error)
{
    char *program = safe_path_find(name);
    if (!program)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "this machine has no '%s': %s", name,
                    instead);
    return program;
}
