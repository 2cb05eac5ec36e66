#include <unistd.h>

#include "box/helpers/agent.h"
#include "box/lifecycle/lifecycle.h"
#include "box/registry/box.h"
#include "box/snapshot/snapshot.h"
#include "box/snapshot/system_image.h"
#include "cli/commands/project.h"
#include "common/units.h"
#include "console/ask.h"
#include "console/log.h"

static struct {
    gboolean yes, force, keep_home;
} rm_given;

static const option rm_options[] = {
    PROJECTS_ALL_OPTION,
    {"force", 'f', OPTION_FLAG, &rm_given.force, NULL,
     "do not ask; a box that does not exist is no error"},
    {"yes", 'y', OPTION_FLAG, &rm_given.yes, NULL, "do not ask"},
    {"keep-home", 0, OPTION_FLAG, &rm_given.keep_home, NULL, "remove only the container"},
    {0},
};

static gboolean confirm_removal(const struct box *self, GError **error)
{
    g_autofree char *sessions = box_describe_sessions(self);
    if (sessions && (rm_given.yes || rm_given.keep_home))
        log_note("%s", sessions);
    if (rm_given.yes || rm_given.keep_home)
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

static gboolean forget_box(struct box *self, GError **error)
{
    box_revoke_host_access(self);
    return registry_remove(self, error) && discard_runtime(self->runtime, error);
}

static gboolean remove_one(struct box *self, const struct command_call *call, GError **error)
{
    g_autoptr(GError) gone = NULL;
    if ((!rm_given.keep_home && !registry_check_branches(self, error)) ||
        !confirm_removal(self, error))
        return FALSE;
    int lock = box_lock_registered(self, &gone);
    if (lock < 0 && rm_given.force && g_error_matches(gone, BOX_ERROR, BOX_ERROR_NOT_FOUND))
        return TRUE;
    if (lock < 0) {
        g_propagate_error(error, g_steal_pointer(&gone));
        return FALSE;
    }
    log_step("removing box '%s'", self->name);
    gboolean done = box_remove_container(self, call->server, error) &&
                    (rm_given.keep_home || forget_box(self, error));
    log_step_done();
    close(lock);
    return done;
}

/* The snapshots have gone with the data folders. */
static void drop_contents(podman_client *server)
{
    g_autoptr(GError) problem = NULL;
    guint64 freed;
    if (!snapshot_collect(&freed, &problem) || !system_images_collect(server, &problem))
        log_warning(
            "the box is gone, but contents of its snapshots still use space, which the next "
            "'box snapshot drop' or 'box prune' frees: %s",
            problem->message);
}

static int run_rm(const struct command_call *call, GError **error)
{
    unsigned flags = rm_given.force ? PROJECTS_SKIP_MISSING : 0;
    rm_given.yes |= rm_given.force;
    int status = projects_each(call, PROJECT_EXISTING, flags, remove_one, error);
    if (status == 0 && !rm_given.keep_home)
        drop_contents(call->server);
    return status;
}

const struct command command_rm = {
    .name = "rm",
    .group = GROUP_LIFECYCLE,
    .operands = "[PROJECT…]",
    .summary = "remove the box of a project and its home; the project stays",
    .options = rm_options,
    .completes = COMPLETE_PROJECT,
    .most = COMMAND_NO_LIMIT,
    .run = run_rm,
    .flags = COMMAND_NEEDS_PODMAN,
};
