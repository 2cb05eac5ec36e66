#include "box/helpers/start.h"

#include "box/registry/registry.h"

enum helper_status box_helper_start(const struct helper *self, const struct helper_request *request,
                                    char **result, GError **error)
{
    safe_path_set();
    return helper_start(self, request, result, error);
}
