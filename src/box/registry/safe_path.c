/* Programs, PATH entries and links of the host that a box could have written. */
#include "box/registry/registry.h"
#include "common/fs.h"
#include "common/paths.h"
#include "plan/plan.h"

/* TRUE when a box can write PATH. */
static gboolean is_written_by_box(const char *path, char **projects)
{
    g_autofree char *homes = paths_data("boxes");
    for (char **project = projects; *project; project++)
        if (fs_is_below(path, *project))
            return TRUE;
    return fs_is_below(path, homes);
}

static char *link_of_box(const GPtrArray *via, char **projects)
{
    for (guint i = 0; i < via->len; i++)
        if (is_written_by_box(via->pdata[i], projects))
            return g_strdup(via->pdata[i]);
    return NULL;
}

char *safe_path_link(const char *path, char **projects)
{
    g_autoptr(GPtrArray) via = g_ptr_array_new_with_free_func(g_free);
    g_free(fs_resolve(path, via));
    return link_of_box(via, projects);
}

char *safe_path_refusal(const char *file, char **projects)
{
    g_autoptr(GPtrArray) via = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *real = fs_resolve(file, via);
    if (!real)
        return g_strdup("");
    char *link = link_of_box(via, projects);
    if (link)
        return link;
    return is_written_by_box(real, projects) ? g_steal_pointer(&real) : NULL;
}

char *safe_path(const char *path, char **projects,
                void (*left_out)(const char *entry, const char *why))
{
    g_auto(GStrv) entries = g_strsplit(path ? path : "", ":", -1);
    g_autoptr(GPtrArray) kept = g_ptr_array_new();
    for (char **entry = entries; *entry; entry++) {
        gboolean absolute = g_path_is_absolute(*entry);
        g_autofree char *why = absolute ? safe_path_refusal(*entry, projects) : NULL;
        if (absolute && !why)
            g_ptr_array_add(kept, *entry);
        else if (left_out && (!absolute || *why))
            left_out(*entry, why);
    }
    g_ptr_array_add(kept, NULL);
    return g_strjoinv(":", (char **)kept->pdata);
}
