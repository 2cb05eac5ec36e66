#include "box/exec/apps.h"
#include "box/lifecycle/lifecycle.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "console/log.h"

static struct {
    gboolean all, keep_files, yes, quiet;
} given;

static const option options[] = {
    {"all", 'a', OPTION_FLAG, &given.all, NULL, "every box"},
    {"keep-files", 'k', OPTION_FLAG, &given.keep_files, NULL,
     "take files outside the home over to the new box"},
    {"quiet", 'q', OPTION_FLAG, &given.quiet, NULL, "no progress"},
    {"yes", 'y', OPTION_FLAG, &given.yes, NULL,
     "do not ask before sessions end and installed software is lost"},
    {0},
};

static gboolean upgrade(struct box *self, podman_client *server, GError **error)
{
    gboolean runs = FALSE;
    unsigned flags = BOX_APPLY_UPGRADE | (given.yes ? BOX_APPLY_YES : 0) |
                     (given.keep_files ? BOX_APPLY_KEEP_FILES : 0);
    if (!self || !box_apply(self, server, flags, &runs, error))
        return FALSE;
    if (runs)
        apps_refresh(self);
    return TRUE;
}

/* All NAMES, whatever happens to one of them, until Ctrl-C or a no. The first error is the result.
 */
static gboolean upgrade_each(char *const *names, podman_client *server, GError **error)
{
    g_autoptr(GError) first = NULL;
    for (; *names && !g_error_matches(first, BOX_ERROR, BOX_ERROR_CANCELLED); names++) {
        g_autoptr(GError) problem = NULL;
        g_autoptr(box) self = given.all ? registry_by_name(*names, &problem)
                                        : project_box(*names, PROJECT_EXISTING, &problem);
        if (upgrade(self, server, &problem))
            continue;
        if (!first)
            first = g_steal_pointer(&problem);
        else if (problem)
            log_warning("%s", problem->message);
    }
    if (!first)
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&first));
    return FALSE;
}

static int run(const struct command_call *call, GError **error)
{
    log_quiet = given.quiet;
    if (given.all && *call->operands) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_USAGE,
                            "--all and a PROJECT exclude each other");
        return -1;
    }
    if (given.all) {
        g_auto(GStrv) names = registry_names();
        return upgrade_each(names, call->server, error) ? 0 : -1;
    }
    if (*call->operands)
        return upgrade_each(call->operands, call->server, error) ? 0 : -1;
    g_autoptr(box) self = project_box(NULL, PROJECT_EXISTING, error);
    return upgrade(self, call->server, error) ? 0 : -1;
}

const struct command command_upgrade = {
    .name = "upgrade",
    .group = GROUP_LIFECYCLE,
    .operands = "[PROJECT…]",
    .summary = "pull or build a box's image anew, and recreate the box on it",
    .details =
        "Pulls the image, or builds the Containerfile and adds [box] packages again without a cache.\n"
        "Then it does what 'box apply' does. A box whose image is the same stays as it is, and so\n"
        "does one whose image cannot be pulled or built.",
    .options = options,
    .completes = COMPLETE_PROJECT,
    .most = COMMAND_NO_LIMIT,
    .run = run,
    .flags = COMMAND_NEEDS_PODMAN,
};
