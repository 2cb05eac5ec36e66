#include "box/lifecycle/rename.h"

#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "console/log.h"

static struct {
    gboolean yes;
} rename_given;

static const option rename_options[] = {
    {"yes", 'y', OPTION_FLAG, &rename_given.yes, NULL,
     "do not ask before ending sessions and deleting files"},
    {0},
};

static int run_rename(const struct command_call *call, GError **error)
{
    guint count = g_strv_length(call->operands);
    gboolean runs = FALSE;
    if (count == 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "missing argument; usage: box rename %s",
                    call->row->operands);
        return -1;
    }
    const char *name = call->operands[count - 1];
    g_autoptr(box) self =
        project_box(count > 1 ? call->operands[0] : NULL, PROJECT_EXISTING, error);
    if (!self || !box_rename(self, name, call->server, rename_given.yes, &runs, error))
        return -1;
    log_note("box '%s' is called '%s' now%s", self->name, name, runs ? ", and running" : "");
    return 0;
}

const struct command command_rename = {
    .name = "rename",
    .group = GROUP_LIFECYCLE,
    .operands = "[PROJECT] NAME",
    .summary = "give a box another name; its home and settings stay",
    .details =
        "Home, settings, keys and menu entries go along. The container is created anew: open\n"
        "sessions end, and files outside the home are deleted, after a question.",
    .options = rename_options,
    .completes = COMPLETE_PROJECT,
    .then = {COMPLETE_FREE_TEXT},
    .most = 2,
    .run = run_rename,
    .flags = COMMAND_NEEDS_PODMAN,
};
