#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "box/exec/sessions.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "common/fs.h"
#include "console/log.h"
#include "plan/plan.h"

static struct {
    gboolean root;
    const char *workdir;
    GPtrArray *env;
} enter_given;

static const option enter_options[] = {
    BRANCH_OPTIONS(""),
    {"env", 'e', OPTION_LIST, &enter_given.env, "K=V", "set a variable; K alone passes on yours"},
    {"root", 0, OPTION_FLAG, &enter_given.root, NULL, "enter as root of the box"},
    {"workdir", 'w', OPTION_TEXT, &enter_given.workdir, "DIR", "start in this folder"},
    {0},
};

static const foreign_option enter_foreign[] = {
    {"name", 'n', "write the name of the box alone: box enter NAME"},
    {"user", 'u', "--root enters as root of the box"},
    {0},
};

/*
 * Tells a terminal of VTE (GNOME Terminal, Ptyxis, Console) that a container's shell runs in the
 * tab, as toolbox does: OSC 777 with name, program and user.
 */
static void tell_terminal(const char *action, const char *name, const char *program)
{
    if (!isatty(STDOUT_FILENO) || !g_getenv("VTE_VERSION"))
        return;
    printf("\033]777;container;%s;%s;%s;%u\033\\", action, name, program, (unsigned)getuid());
    fflush(stdout);
}

/*
 * Tells kitty and WezTerm in a variable of the tab, at which a key in the user's configuration of
 * them can look (box-enter(1)): OSC 1337. NAME NULL: it is over; kitty then forgets a variable
 * without "=", and WezTerm knows only empty ones.
 */
static void set_tab_variable(const char *name)
{
    if (!isatty(STDOUT_FILENO) || !(g_getenv("KITTY_WINDOW_ID") || g_getenv("WEZTERM_PANE")))
        return;
    g_autofree char *value = g_base64_encode((const guchar *)name, name ? strlen(name) : 0);
    printf("\033]1337;SetUserVar=litterbox=%s\a", value);
    if (!name)
        fputs("\033]1337;SetUserVar=litterbox\a", stdout);
    fflush(stdout);
}

/* Terminals open a new tab in the folder of the program that runs in this one. From there the
 * project is found again. */
static void go_to_project(const struct box *self)
{
    g_autofree char *here = g_get_current_dir();
    if (!fs_is_below(here, self->project) && chdir(self->project) < 0)
        log_warning("cannot open '%s': %s", self->project, g_strerror(errno));
}

static int run_enter(const struct command_call *call, GError **error)
{
    g_autoptr(box) self =
        branch_option_apply(project_box(call->operands[0], PROJECT_REGISTER, error), error);
    if (!self)
        return -1;
    go_to_project(self);
    session_options session = {
        .command = call->command && call->command[0] ? call->command : NULL,
        .tty = isatty(STDIN_FILENO) || isatty(STDOUT_FILENO),
        .root = enter_given.root,
        .scan_project = TRUE,
        .workdir = enter_given.workdir,
        .env = options_list(enter_given.env),
    };
    tell_terminal("push", self->name, "box");
    set_tab_variable(self->name);
    int status = box_run_session(self, &session, error);
    tell_terminal("pop", "", "");
    set_tab_variable(NULL);
    return status;
}

const struct command command_enter = {
    .name = "enter",
    .group = GROUP_WORK,
    .operands = "[PROJECT] [-- COMMAND…]",
    .summary = "open a shell in the box of a project",
    .details =
        "Creates and starts the box if necessary, and opens a login shell (or COMMAND) on a new\n"
        "terminal, in the same folder as on the host. After the last session the box stops\n"
        "automatically ([box] idle_stop).",
    .options = enter_options,
    .foreign = enter_foreign,
    .completes = COMPLETE_PROJECT,
    .most = 1,
    .flags = COMMAND_TAKES_COMMAND,
    .run = run_enter,
};
