#include "box/registry/registry.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "box/registry/branch_names.h"
#include "box/registry/project_index.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "plan/writable_folders.h"

#define PATH_FILE_MAX (PATH_MAX + 1)

static gboolean read_project(const char *name, char **project, GError **error)
{
    g_autofree char *data = box_data_path(name);
    g_autofree char *path = g_build_filename(data, "project", NULL);
    g_autoptr(GError) problem = NULL;
    *project = NULL;
    if (fs_read(AT_FDCWD, path, PATH_FILE_MAX, project, NULL, &problem) ||
        g_error_matches(problem, G_FILE_ERROR, G_FILE_ERROR_NOENT) ||
        g_error_matches(problem, G_FILE_ERROR, G_FILE_ERROR_NOTDIR))
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&problem));
    return FALSE;
}

gboolean registry_find_project(const char *name, char **project, GError **error)
{
    g_autofree char *of = NULL;
    if (!read_project(name, project, error))
        return FALSE;
    return *project || !branch_is_box_name(name, &of) || read_project(of, project, error);
}

static char *project_of(const char *name)
{
    char *project;
    read_project(name, &project, NULL);
    return project;
}

gboolean registry_is_free(const char *name, GError **error)
{
    g_autofree char *project = NULL;
    return registry_find_project(name, &project, error) && !project;
}

char **registry_names(void)
{
    g_autofree char *boxes = paths_data("boxes");
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    g_autoptr(GDir) folder = g_dir_open(boxes, 0, NULL);
    for (const char *name; folder && (name = g_dir_read_name(folder));) {
        g_autofree char *project = box_name_is_valid(name) ? project_of(name) : NULL;
        if (project)
            g_ptr_array_add(names, g_strdup(name));
    }
    g_ptr_array_sort(names, text_compare);
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&names), FALSE);
}

char **registry_projects(void)
{
    g_auto(GStrv) names = registry_names();
    g_autoptr(GPtrArray) projects = g_ptr_array_new();
    for (char **name = names; *name; name++) {
        char *project = project_of(*name);
        if (project) /* else it was removed meanwhile */
            g_ptr_array_add(projects, project);
    }
    g_ptr_array_add(projects, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&projects), FALSE);
}

char **registry_writable_folders(void)
{
    g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func(g_free);
    g_auto(GStrv) projects = registry_projects();
    for (char **project = projects; *project; project++)
        g_ptr_array_add(list, g_strdup(*project));
    /* Of a list that cannot be read nobody knows what it leaves out: then no folder is trusted. */
    if (!writable_folders_add(list, NULL))
        g_ptr_array_add(list, g_strdup("/"));
    return text_list(g_steal_pointer(&list));
}

struct box *registry_by_name(const char *name, GError **error)
{
    g_autofree char *project = box_name_is_valid(name) ? project_of(name) : NULL;
    if (project)
        return box_new(name, project, error);
    g_auto(GStrv) names = registry_names();
    const char *near = text_nearest(name, (const char *const *)names);
    g_autofree char *safe = text_safe(name, -1), *of = NULL;
    if (branch_is_box_name(name, &of)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "'%s' is a branch of box '%s': use 'box branch', or the option --branch", name,
                    of);
        return NULL;
    }
    g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                near ? "no box '%s'; did you mean '%s'?"
                     : "no box '%s'; 'box list' lists all boxes",
                safe, near);
    return NULL;
}

gboolean registry_has_project(const char *project)
{
    g_autofree char *name = project_index_find(project);
    return name != NULL;
}

struct box *registry_by_project(const char *project, GError **error)
{
    g_autofree char *name = project_index_find(project);
    g_autofree char *registered = name ? project_of(name) : NULL;
    if (g_strcmp0(registered, project) == 0)
        return box_new(name, project, error);
    g_auto(GStrv) names = registry_names();
    for (char **other = names; *other; other++) {
        g_autofree char *recorded = project_of(*other);
        if (g_strcmp0(recorded, project) == 0) {
            project_index_write(*other, project);
            return box_new(*other, project, error);
        }
    }
    return NULL;
}

gboolean registry_check_same(const struct box *self, GError **error)
{
    g_autofree char *project = NULL;
    if (!registry_find_project(self->name, &project, error))
        return FALSE;
    if (g_strcmp0(project, self->project) == 0)
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                "box '%s' has just been removed or renamed: run the command again", self->name);
    return FALSE;
}

gboolean registry_check_free(const char *name, GError **error)
{
    g_autofree char *project = NULL;
    if (!registry_find_project(name, &project, error))
        return FALSE;
    if (!project)
        return TRUE;
    g_autofree char *safe = text_safe(project, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT, "the box of '%s' is called '%s'", safe, name);
    return FALSE;
}

gboolean registry_check_branches(const struct box *self, GError **error)
{
    if (!branch_names_are_known(self->name, error))
        return FALSE;
    g_auto(GStrv) names = branch_names(self->name);
    if (!*names)
        return TRUE;
    g_autofree char *list = g_strjoinv(", ", names);
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                "box '%s' has branches: %s; 'box branch drop' removes them", self->name, list);
    return FALSE;
}
