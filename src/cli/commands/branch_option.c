#include "cli/commands/branch_option.h"

#include "box/registry/branch.h"
#include "console/log.h"

const char *branch_option_name;
gboolean branch_option_isolated;

struct box *branch_option_apply(struct box *of, GError **error)
{
    gboolean is_new = FALSE;
    if (!of || (!branch_option_name && !branch_option_isolated))
        return of;
    g_autoptr(box) owner = of;
    if (!branch_option_name) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_USAGE, "--isolated needs --branch");
        return NULL;
    }
    struct box *self =
        branch_open(owner, branch_option_name, branch_option_isolated, &is_new, error);
    if (self && is_new)
        log_note("new branch '%s' of the project of box '%s': nothing of it reaches the project "
                 "before 'box branch take'",
                 self->branch, self->base);
    return self;
}
