#include "box/branch/host_program.h"

#include <unistd.h>

#include "box/registry/registry.h"
#include "common/error.h"

char *host_program(const char *name, const char *instead, GError **error)
{
    g_auto(GStrv) projects = registry_projects();
    g_autofree char *path =
        safe_path(g_getenv("PATH") ? g_getenv("PATH") : "/usr/bin:/bin", projects, NULL);
    g_auto(GStrv) folders = g_strsplit(path, ":", -1);
    for (char **folder = folders; *folder; folder++) {
        g_autofree char *program = g_build_filename(*folder, name, NULL);
        if (**folder == '/' && access(program, X_OK) == 0)
            return g_steal_pointer(&program);
    }
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "this machine has no '%s': %s", name, instead);
    return NULL;
}
