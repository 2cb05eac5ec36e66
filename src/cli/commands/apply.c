#include <unistd.h>

#include "box/exec/apps.h"
#include "box/lifecycle/container.h"
#include "box/lifecycle/lifecycle.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "console/ask.h"
#include "console/log.h"
#include "podman/podman.h"

static struct {
    gboolean yes;
} given;

static const option options[] = {
    {"yes", 'y', OPTION_FLAG, &given.yes, NULL, "do not ask before installed software is lost"},
    {0},
};

/* Warns of what will be lost, and asks. */
static gboolean confirm(const struct box *self, podman_client *server, const box_container *now,
                        GError **error)
{
    g_autofree char *contents = container_diff_describe(self, server, now);
    if (!contents)
        return TRUE;
    if (!given.yes && !ask_can()) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "there is no terminal to ask on, and this would be lost: %s; use --yes",
                    contents);
        return FALSE;
    }
    log_warning("box '%s' loses %s", self->name, contents);
    if (given.yes || ask_yes("Create it again?"))
        return TRUE;
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_CANCELLED, "the box stays as it is");
    return FALSE;
}

/* Loads the configuration first: a mistake in it must not end a running box. */
static gboolean discard(struct box *self, podman_client *server, gboolean *was_running,
                        GError **error)
{
    g_autoptr(config) read = config_load(self->project, self->name, NULL, TRUST_ASK, error);
    g_autoptr(box_container) now = read ? box_container_inspect(self, server, error) : NULL;
    if (!now)
        return FALSE;
    *was_running = now->state == BOX_RUNNING;
    return confirm(self, server, now, error) && box_stop(self, server, error) &&
           box_remove_container(self, server, error);
}

static int run(const struct command_call *call, GError **error)
{
    gboolean was_running = FALSE;
    g_autoptr(box) self = project_box(call->operands[0], PROJECT_EXISTING, error);
    int lock = self ? box_lock(self, error) : -1;
    if (lock < 0)
        return -1;
    gboolean done = discard(self, call->server, &was_running, error);
    close(lock);
    if (!done)
        return -1;
    if (!was_running) {
        log_note("the configuration takes effect at the next start");
        return 0;
    }
    int connection = box_start(self, NULL, error);
    if (connection < 0)
        return -1;
    close(connection);
    apps_refresh(self);
    return 0;
}

const struct command command_apply = {
    .name = "apply",
    .group = GROUP_LIFECYCLE,
    .operands = "[PROJECT]",
    .summary = "recreate the box from its configuration; its home stays",
    .details =
        "Sessions of a running box end. Software that was installed with sudo outside of the home\n"
        "is lost, after a question; install it in the Containerfile to keep it.",
    .options = options,
    .completes = COMPLETE_PROJECT,
    .most = 1,
    .run = run,
    .flags = COMMAND_NEEDS_PODMAN,
};
