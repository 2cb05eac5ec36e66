#include "box/exec/apps.h"
#include "box/lifecycle/lifecycle.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"

static struct {
    gboolean yes;
} given;

static const option options[] = {
    {"yes", 'y', OPTION_FLAG, &given.yes, NULL,
     "do not ask before sessions end and installed software is lost"},
    {0},
};

static int run(const struct command_call *call, GError **error)
{
    g_autoptr(box) self = project_box(call->operands[0], PROJECT_EXISTING, error);
    gboolean runs = FALSE;
    if (!self || !box_apply(self, call->server, given.yes, &runs, error))
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
        "Builds the image again if its Containerfile has changed, and creates the new container before\n"
        "the old one is stopped: when that fails, the box stays as it was. Sessions of a running box\n"
        "end, and software that was installed with sudo outside of the home is lost, after a question;\n"
        "install it in the Containerfile to keep it.",
    .options = options,
    .completes = COMPLETE_PROJECT,
    .most = 1,
    .run = run,
    .flags = COMMAND_NEEDS_PODMAN,
};
