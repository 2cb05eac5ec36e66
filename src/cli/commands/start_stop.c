/* `box start`, `box stop` and `box restart`. */
#include <unistd.h>

#include "box/lifecycle/lifecycle.h"
#include "cli/commands/project.h"

static const option start_stop_options[] = {PROJECTS_ALL_OPTION, {0}};

static gboolean start_one(struct box *self, const struct command_call *call, GError **error)
{
    return box_ensure_running(self, error);
}

static int start(const struct command_call *call, GError **error)
{
    return projects_each(call, PROJECT_REGISTER, PROJECTS_BRANCHES, start_one, error);
}

const struct command command_start = {
    .name = "start",
    .alias = "up",
    .group = GROUP_LIFECYCLE,
    .operands = "[PROJECT…]",
    .summary = "start the box of a project",
    .options = start_stop_options,
    .completes = COMPLETE_PROJECT_OR_BRANCH,
    .most = COMMAND_NO_LIMIT,
    .run = start,
};

static gboolean stop_one(struct box *self, const struct command_call *call, GError **error)
{
    int lock = box_lock_registered(self, error);
    if (lock < 0)
        return FALSE;
    gboolean stopped = box_stop(self, call->server, error);
    close(lock);
    return stopped;
}

static int stop(const struct command_call *call, GError **error)
{
    return projects_each(call, PROJECT_EXISTING, PROJECTS_BRANCHES, stop_one, error);
}

const struct command command_stop = {
    .name = "stop",
    .alias = "down",
    .group = GROUP_LIFECYCLE,
    .operands = "[PROJECT…]",
    .summary = "stop the box of a project; its home stays",
    .options = start_stop_options,
    .flags = COMMAND_NEEDS_PODMAN,
    .completes = COMPLETE_PROJECT_OR_BRANCH,
    .most = COMMAND_NO_LIMIT,
    .run = stop,
};

static gboolean restart_one(struct box *self, const struct command_call *call, GError **error)
{
    int connection = stop_one(self, call, error) ? box_start(self, NULL, error) : -1;
    if (connection < 0)
        return FALSE;
    close(connection);
    return TRUE;
}

static int restart(const struct command_call *call, GError **error)
{
    return projects_each(call, PROJECT_EXISTING, PROJECTS_BRANCHES, restart_one, error);
}

const struct command command_restart = {
    .name = "restart",
    .group = GROUP_LIFECYCLE,
    .operands = "[PROJECT…]",
    .summary = "stop and start the box of a project",
    .options = start_stop_options,
    .flags = COMMAND_NEEDS_PODMAN,
    .completes = COMPLETE_PROJECT_OR_BRANCH,
    .most = COMMAND_NO_LIMIT,
    .run = restart,
};
