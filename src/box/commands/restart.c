#include <unistd.h>

#include "box/commands/commands.h"
#include "box/lifecycle.h"
#include "cli/commands/project.h"

static int run(const arguments *given, GError **error)
{
    if (command_stop.run(given, error) < 0)
        return -1;
    g_autoptr(box) self = project_box(arguments_first(given), PROJECT_EXISTING, error);
    int connection = self ? lifecycle_start(self, NULL, error) : -1;
    if (connection < 0)
        return -1;
    close(connection);
    return 0;
}

const command command_restart = {
    .name = "restart",
    .group = GROUP_LIFE,
    .arguments = "[PROJECT]",
    .summary = "stop and start the box of a project",
    .completes = COMPLETE_PROJECT,
    .operands_max = 1,
    .run = run,
};
