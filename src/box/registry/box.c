#include "box/registry/box.h"

#include <string.h>

#include "common/paths.h"

void box_free(struct box *self)
{
    g_free(self->name);
    g_free(self->base);
    g_free(self->project);
    g_free(self->container);
    g_free(self->data);
    g_free(self->home);
    g_free(self->runtime);
    g_strfreev(self->only);
    g_free(self);
}

gboolean box_name_is_valid(const char *name)
{
    gsize length = strlen(name);
    return length >= 1 && length <= BOX_NAME_MAX && g_ascii_isalnum(name[0]) &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == length;
}

char *box_data(const char *name)
{
    g_autofree char *tail = g_build_filename("boxes", name, NULL);
    return paths_data(tail);
}

struct box *box_new(const char *name, const char *project, GError **error)
{
    char *runtime = paths_runtime(name, error);
    if (!runtime)
        return NULL;
    const char *instance = paths_instance();
    struct box *self = g_new0(struct box, 1);
    self->name = g_strdup(name);
    self->base = g_strdup(name);
    self->project = g_strdup(project);
    self->container = g_strconcat("litterbox-", instance, *instance ? "-" : "", name, NULL);
    self->data = box_data(name);
    self->home = g_build_filename(self->data, "home", NULL);
    self->runtime = runtime;
    return self;
}
