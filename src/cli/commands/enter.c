#include <unistd.h>

#include "box/commands/commands.h"
#include "cli/commands/project.h"
#include "box/sessions.h"

static struct {
    gboolean root;
    const char *workdir;
    GPtrArray *env;
} set;

static const option options[] = {
    {"env", 'e', OPTION_LIST, &set.env, "K=V", "set a variable, or pass yours on with K alone"},
    {"root", 0, OPTION_FLAG, &set.root, NULL, "as root of the box"},
    {"workdir", 'w', OPTION_TEXT, &set.workdir, "DIR", "start in this folder of the box"},
    {0},
};

static int run(const arguments *given, GError **error)
{
    g_autoptr(box) self = project_box(arguments_first(given), PROJECT_REGISTER, error);
    if (!self)
        return -1;
    session_wish wish = {
        .command = given->command && given->command[0] ? given->command : NULL,
        .tty = isatty(STDIN_FILENO) || isatty(STDOUT_FILENO),
        .root = set.root,
        .report = TRUE,
        .workdir = set.workdir,
        .env = options_list(set.env),
    };
    return sessions_run(self, &wish, error);
}

const command command_enter = {
    .name = "enter",
    .group = GROUP_WORK,
    .arguments = "[PROJECT] [-- COMMAND…]",
    .summary = "open a shell in the box of a project",
    .details =
        "Makes and starts the box when that is still to be done, and opens a login shell (or\n"
        "COMMAND) on a terminal of its own, in the same folder as on the host. The box stops\n"
        "by itself some time after the last session ([box] idle_stop).",
    .options = options,
    .completes = COMPLETE_PROJECT,
    .operands_max = 1,
    .takes_command = TRUE,
    .run = run,
};
