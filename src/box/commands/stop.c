#include <unistd.h>

#include "box/commands/commands.h"
#include "box/lifecycle.h"
#include "cli/commands/project.h"

static int stop(box *self, GError **error)
{
    int lock = lifecycle_lock(self, error);
    if (lock < 0)
        return -1;
    g_autoptr(podman) server = podman_connect(error);
    int status = server && lifecycle_stop(self, server, error) ? 0 : -1;
    close(lock);
    return status;
}

static int run(const arguments *given, GError **error)
{
    g_autoptr(box) self = project_box(arguments_first(given), PROJECT_EXISTING, error);
    return self ? stop(self, error) : -1;
}

const command command_stop = {
    .name = "stop",
    .alias = "down",
    .group = GROUP_LIFE,
    .arguments = "[PROJECT]",
    .summary = "stop the box of a project; its home stays",
    .completes = COMPLETE_PROJECT,
    .operands_max = 1,
    .run = run,
};
