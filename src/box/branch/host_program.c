#include "box/branch/host_program.h"

#include "box/registry/registry.h"
#include "common/error.h"

char *host_program(const char *name, const char *instead, GError **error)
{
    char *program = safe_path_find(name);
    if (!program)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "this machine has no '%s': %s", name,
                    instead);
    return program;
}
