#include <unistd.h>

#include "box/commands/commands.h"
#include "box/frozen.h"
#include "box/lifecycle.h"
#include "cli/commands/project.h"

static int run(const arguments *given, GError **error)
{
    g_autoptr(box) self = project_box(arguments_first(given), PROJECT_REGISTER, error);
    if (!self)
        return -1;
    int connection = lifecycle_connect(self);
    if (connection < 0)
        connection = lifecycle_start(self, NULL, error);
    if (connection < 0)
        return -1;
    gboolean paused = frozen_is(connection);
    close(connection);
    if (paused)
        container_say_paused(self, error);
    return paused ? -1 : 0;
}

const command command_start = {
    .name = "start",
    .alias = "up",
    .group = GROUP_LIFE,
    .arguments = "[PROJECT]",
    .summary = "start the box of a project",
    .completes = COMPLETE_PROJECT,
    .operands_max = 1,
    .run = run,
};
