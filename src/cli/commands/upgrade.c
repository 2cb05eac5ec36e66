#include "box/exec/apps.h"
#include "box/lifecycle/lifecycle.h"
#include "cli/commands/project.h"
#include "console/log.h"

static struct {
    gboolean keep_files, yes, quiet;
} upgrade_given;

static const option upgrade_options[] = {
    PROJECTS_ALL_OPTION,
    {"keep-files", 'k', OPTION_FLAG, &upgrade_given.keep_files, NULL,
     "take files outside the home over to the new box"},
    {"quiet", 'q', OPTION_FLAG, &upgrade_given.quiet, NULL, "no progress"},
    {"yes", 'y', OPTION_FLAG, &upgrade_given.yes, NULL,
     "do not ask before sessions end and installed software is lost"},
    {0},
};

static gboolean upgrade(struct box *self, const struct command_call *call, GError **error)
{
    gboolean runs = FALSE;
    unsigned flags = BOX_APPLY_UPGRADE | (upgrade_given.yes ? BOX_APPLY_YES : 0) |
                     (upgrade_given.keep_files ? BOX_APPLY_KEEP_FILES : 0);
    if (!box_apply(self, call->server, flags, &runs, error))
        return FALSE;
    if (runs)
        apps_refresh(self);
    return TRUE;
}

static int run_upgrade(const struct command_call *call, GError **error)
{
    log_quiet = upgrade_given.quiet;
    return projects_each(call, PROJECT_EXISTING, 0, upgrade, error);
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
    .options = upgrade_options,
    .completes = COMPLETE_PROJECT,
    .most = COMMAND_NO_LIMIT,
    .run = run_upgrade,
    .flags = COMMAND_NEEDS_PODMAN,
};
