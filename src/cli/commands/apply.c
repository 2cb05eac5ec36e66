/* `box apply` and `box upgrade`. */
#include "box/exec/apps.h"
#include "box/lifecycle/lifecycle.h"
#include "cli/commands/project.h"
#include "console/log.h"

static struct {
    gboolean keep_files, yes, quiet;
} apply_given;

static const option apply_options[] = {
    PROJECTS_ALL_OPTION,
    {"keep-files", 'k', OPTION_FLAG, &apply_given.keep_files, NULL,
     "take files outside the home over to the new box"},
    {"yes", 'y', OPTION_FLAG, &apply_given.yes, NULL,
     "do not ask before ending sessions and deleting files"},
    {0},
};

static gboolean apply_with(struct box *self, const struct command_call *call, unsigned flags,
                           GError **error)
{
    gboolean runs = FALSE;
    flags |=
        (apply_given.yes ? BOX_APPLY_YES : 0) | (apply_given.keep_files ? BOX_APPLY_KEEP_FILES : 0);
    if (!box_apply(self, call->server, flags, &runs, error))
        return FALSE;
    if (runs)
        apps_refresh(self);
    return TRUE;
}

static gboolean apply(struct box *self, const struct command_call *call, GError **error)
{
    return apply_with(self, call, 0, error);
}

static int run_apply(const struct command_call *call, GError **error)
{
    return projects_each(call, PROJECT_EXISTING, PROJECTS_BRANCHES, apply, error);
}

const struct command command_apply = {
    .name = "apply",
    .group = GROUP_LIFECYCLE,
    .operands = "[PROJECT…]",
    .summary = "recreate the box from its configuration; its home stays",
    .details =
        "Rebuilds the image if its Containerfile has changed. Creates the new container before it "
        "stops\nthe old one: if that fails, the box is unchanged. Open sessions end, and files "
        "outside the\nhome are deleted, after a question; --keep-files keeps them. Name software "
        "that should\nalways be there in [box] packages.",
    .options = apply_options,
    .completes = COMPLETE_PROJECT_OR_BRANCH,
    .most = COMMAND_NO_LIMIT,
    .run = run_apply,
    .flags = COMMAND_NEEDS_PODMAN,
};

static const option upgrade_options[] = {
    PROJECTS_ALL_OPTION,
    {"keep-files", 'k', OPTION_FLAG, &apply_given.keep_files, NULL,
     "take files outside the home over to the new box"},
    {"quiet", 'q', OPTION_FLAG, &apply_given.quiet, NULL, "no progress"},
    {"yes", 'y', OPTION_FLAG, &apply_given.yes, NULL,
     "do not ask before sessions end and installed software is lost"},
    {0},
};

static gboolean upgrade(struct box *self, const struct command_call *call, GError **error)
{
    return apply_with(self, call, BOX_APPLY_UPGRADE, error);
}

static int run_upgrade(const struct command_call *call, GError **error)
{
    log_quiet = apply_given.quiet;
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
