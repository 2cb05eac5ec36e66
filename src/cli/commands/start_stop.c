/* `box start`, `box stop` and `box restart`. */
#include <unistd.h>

#include "box/lifecycle/lifecycle.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "common/cgroup.h"
#include "net/unix_socket.h"

static int start(const struct command_call *call, GError **error)
{
    g_autoptr(box) self = project_box(call->operands[0], PROJECT_REGISTER, error);
    if (!self)
        return -1;
    int connection = box_connect(self);
    if (connection < 0)
        connection = box_start(self, NULL, error);
    if (connection < 0)
        return -1;
    gboolean paused = cgroup_is_frozen(unix_socket_peer_pid(connection));
    close(connection);
    if (paused)
        box_set_paused_error(self, error);
    return paused ? -1 : 0;
}

const struct command command_start = {
    .name = "start",
    .alias = "up",
    .group = GROUP_LIFECYCLE,
    .operands = "[PROJECT]",
    .summary = "start the box of a project",
    .completes = COMPLETE_PROJECT,
    .most = 1,
    .run = start,
};

static int stop(const struct command_call *call, GError **error)
{
    g_autoptr(box) self = project_box(call->operands[0], PROJECT_EXISTING, error);
    int lock = self ? box_lock(self, error) : -1;
    if (lock < 0)
        return -1;
    gboolean stopped = box_stop(self, call->server, error);
    close(lock);
    return stopped ? 0 : -1;
}

const struct command command_stop = {
    .name = "stop",
    .alias = "down",
    .group = GROUP_LIFECYCLE,
    .operands = "[PROJECT]",
    .summary = "stop the box of a project; its home stays",
    .flags = COMMAND_NEEDS_PODMAN,
    .completes = COMPLETE_PROJECT,
    .most = 1,
    .run = stop,
};

static int restart(const struct command_call *call, GError **error)
{
    if (stop(call, error) < 0)
        return -1;
    g_autoptr(box) self = project_box(call->operands[0], PROJECT_EXISTING, error);
    int connection = self ? box_start(self, NULL, error) : -1;
    if (connection < 0)
        return -1;
    close(connection);
    return 0;
}

const struct command command_restart = {
    .name = "restart",
    .group = GROUP_LIFECYCLE,
    .operands = "[PROJECT]",
    .summary = "stop and start the box of a project",
    .flags = COMMAND_NEEDS_PODMAN,
    .completes = COMPLETE_PROJECT,
    .most = 1,
    .run = restart,
};
