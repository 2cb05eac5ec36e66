/* The start of the helpers of a box and of the SSH agent. */
#pragma once

#include "box/registry/registry.h"
#include "host/supervisor/helper_start.h"

/*
 * As helper_start(), after PATH of this process is without what a box can write (safe_path_set()):
 * a helper outlives the command that starts it, and finds programs by PATH, such as the one that
 * prints a secret. `box run` starts a helper that has ended, perhaps from a virtual environment of
 * the project.
 */
static inline enum helper_status box_helper_start(const struct helper *self,
                                                  const struct helper_request *request,
                                                  char **result, GError **error)
{
    safe_path_set();
    return helper_start(self, request, result, error);
}
