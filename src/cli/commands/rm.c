#include <unistd.h>

#include "box/helpers/agent.h"
#include "box/lifecycle/lifecycle.h"
#include "box/registry/box.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "common/units.h"
#include "console/ask.h"
#include "console/log.h"

static struct {
    gboolean yes, keep_home;
} given;

static const option options[] = {
    {"yes", 'y', OPTION_FLAG, &given.yes, NULL, "do not ask"},
    {"keep-home", 0, OPTION_FLAG, &given.keep_home, NULL, "remove only the container"},
    {0},
};

static gboolean confirm(const struct box *self, GError **error)
{
    g_autofree char *sessions = box_describe_sessions(self);
    if (sessions && (given.yes || given.keep_home))
        log_note("%s", sessions);
    if (given.yes || given.keep_home)
        return TRUE;
    g_autofree char *size = units_format_size(discard_tree_frees(self->data));
    g_autofree char *question =
        g_strdup_printf("%s%sRemove box '%s' and its home (%s)%s? The project folder stays.",
                        sessions ? sessions : "", sessions ? ".\n" : "", self->name, size,
                        agent_has_attached_keys(self) ? ", and detach its SSH keys" : "");
    if (ask_yes(question))
        return TRUE;
    g_set_error(error, BOX_ERROR, ask_can() ? BOX_ERROR_CANCELLED : BOX_ERROR_USAGE,
                ask_can() ? "nothing was removed" : "there is no terminal to ask on: use --yes");
    return FALSE;
}

static gboolean forget(struct box *self, GError **error)
{
    box_revoke_host_access(self);
    return registry_remove(self, error) && discard_tree(self->runtime, error);
}

static int remove_box(struct box *self, podman_client *server, GError **error)
{
    int lock = box_lock(self, error);
    if (lock < 0)
        return -1;
    log_step("removing box '%s'", self->name);
    gboolean done =
        box_remove_container(self, server, error) && (given.keep_home || forget(self, error));
    log_step_done();
    close(lock);
    return done ? 0 : -1;
}

static int run(const struct command_call *call, GError **error)
{
    g_autoptr(box) self = project_box(call->operands[0], PROJECT_EXISTING, error);
    if (!self || !confirm(self, error))
        return -1;
    return remove_box(self, call->server, error);
}

const struct command command_rm = {
    .name = "rm",
    .group = GROUP_LIFECYCLE,
    .operands = "[PROJECT]",
    .summary = "remove the box of a project and its home; the project stays",
    .options = options,
    .completes = COMPLETE_PROJECT,
    .most = 1,
    .run = run,
    .flags = COMMAND_NEEDS_PODMAN,
};
