#include "box/registry/project_finder.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "box/registry/project_index.h"
#include "common/paths.h"
#include "common/text.h"

struct project_finder {
    /* One entry a box in each. */
    GPtrArray *names, *projects;
    /* Of the project when it was registered, and of what is at its path now; or NULL. */
    GPtrArray *recorded, *present;
    char *homes; /* the identity of the folder with all homes; NULL: there is none */
};

static gboolean add_registered(project_finder *self, const char *name, GError **error)
{
    char *project;
    if (!registry_find_project(name, &project, error))
        return FALSE;
    if (!project)
        return TRUE;
    g_ptr_array_add(self->names, g_strdup(name));
    g_ptr_array_add(self->projects, project);
    g_ptr_array_add(self->recorded, folder_identity_recorded(name));
    g_ptr_array_add(self->present, folder_identity(project));
    return TRUE;
}

static gboolean add_all_registered(project_finder *self, GError **error)
{
    g_autofree char *boxes = paths_data("boxes");
    DIR *folder = opendir(boxes);
    gboolean done = folder || errno == ENOENT;
    if (!done)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "'%s': %s", boxes, g_strerror(errno));
    for (const struct dirent *entry; done && folder && (entry = readdir(folder));)
        done = !box_name_is_valid(entry->d_name) || add_registered(self, entry->d_name, error);
    if (folder)
        closedir(folder);
    g_ptr_array_add(self->projects, NULL);
    return done;
}

project_finder *project_finder_new(GError **error)
{
    project_finder *self = g_new(project_finder, 1);
    GPtrArray **lists[] = {&self->names, &self->projects, &self->recorded, &self->present};
    for (gsize i = 0; i < G_N_ELEMENTS(lists); i++)
        *lists[i] = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *data = paths_data(NULL);
    self->homes = folder_identity(data);
    if (add_all_registered(self, error))
        return self;
    project_finder_free(self);
    return NULL;
}

void project_finder_free(project_finder *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->names);
    g_ptr_array_unref(self->projects);
    g_ptr_array_unref(self->recorded);
    g_ptr_array_unref(self->present);
    g_free(self->homes);
    g_free(self);
}

char **project_finder_projects(const project_finder *self)
{
    return (char **)self->projects->pdata;
}

static void set_other_path_error(const char *folder, const char *name, const char *project,
                                 GError **error)
{
    g_autofree char *safe = text_safe(folder, -1);
    g_autofree char *path = text_safe(project, -1);
    g_set_error(
        error, BOX_ERROR, BOX_ERROR_CONFLICT,
        "'%s' is the project of box '%s', registered as '%s': go there, or run 'box init' here if "
        "it was moved",
        safe, name, path);
}

static void set_home_error(const char *folder, GError **error)
{
    g_autofree char *safe = text_safe(folder, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT, "'%s' holds the homes of boxes", safe);
}

/* The box whose project FOLDER is. */
static struct box *box_of(const project_finder *self, const char *folder, GError **error)
{
    for (guint i = 0; i < self->names->len; i++)
        if (strcmp(self->projects->pdata[i], folder) == 0)
            return box_new(self->names->pdata[i], folder, error);
    g_autofree char *identity = folder_identity(folder);
    for (guint i = 0; identity && i < self->names->len; i++) {
        if (g_strcmp0(self->recorded->pdata[i], identity) == 0 ||
            g_strcmp0(self->present->pdata[i], identity) == 0) {
            set_other_path_error(folder, self->names->pdata[i], self->projects->pdata[i], error);
            return NULL;
        }
    }
    if (identity && g_strcmp0(self->homes, identity) == 0)
        set_home_error(folder, error);
    return NULL;
}

struct box *project_finder_look(const project_finder *self, const char *path, GError **error)
{
    g_autofree char *at = g_strdup(path);
    g_autoptr(GError) problem = NULL;
    struct box *found = box_of(self, at, &problem);
    while (!found && !problem && strcmp(at, "/") != 0) {
        char *above = g_path_get_dirname(at);
        g_free(at);
        at = above;
        found = box_of(self, at, &problem);
    }
    if (problem)
        g_propagate_error(error, g_steal_pointer(&problem));
    return found;
}
