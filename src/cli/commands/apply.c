#include "box/exec/apps.h"
#include "box/lifecycle/lifecycle.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"

static struct {
    gboolean keep_files, yes;
} given;

static const option options[] = {
    {"keep-files", 'k', OPTION_FLAG, &given.keep_files, NULL,
     "take files outside the home over to the new box"},
    {"yes", 'y', OPTION_FLAG, &given.yes, NULL,
     "do not ask before ending sessions and deleting files"},
    {0},
};

static int run(const struct command_call *call, GError **error)
{
    g_autoptr(box) self = project_box(call->operands[0], PROJECT_EXISTING, error);
    gboolean runs = FALSE;
    unsigned flags =
        (given.yes ? BOX_APPLY_YES : 0) | (given.keep_files ? BOX_APPLY_KEEP_FILES : 0);
    if (!self || !box_apply(self, call->server, flags, &runs, error))
        return -1;
    if (runs)
        apps_refresh(self);
    return 0;
}

const struct command command_apply = {
    .name = "apply",
    .group = GROUP_LIFECYCLE,
    .operands = "[PROJECT]",
    .summary = "recreate the box from its configuration; its home stays",
    .details =
        "Rebuilds the image if its Containerfile has changed. Creates the new container before it "
        "stops\nthe old one: if that fails, the box is unchanged. Open sessions end, and files "
        "outside the\nhome are deleted, after a question; --keep-files keeps them. Name software "
        "that should\nalways be there in [box] packages.",
    .options = options,
    .completes = COMPLETE_PROJECT,
    .most = 1,
    .run = run,
    .flags = COMMAND_NEEDS_PODMAN,
};
