#include <string.h>

#include "box/commands/commands.h"
#include "box/project.h"
#include "box/sessions.h"
#include "common/text.h"
#include "session/protocol.h"

static struct {
    gboolean tty, detach;
    const char *workdir, *user, *timeout, *wait;
    GPtrArray *env;
} set;

static const option options[] = {
    {"env", 'e', OPTION_LIST, &set.env, "K=V", "set a variable, or pass yours on with K alone"},
    {"workdir", 'w', OPTION_TEXT, &set.workdir, "DIR", "start in this folder of the box"},
    {"user", 'u', OPTION_TEXT, &set.user, "USER", "root: as root of the box", "root"},
    {"tty", 't', OPTION_FLAG, &set.tty, NULL, "on a terminal of its own, like enter"},
    {"timeout", 0, OPTION_TEXT, &set.timeout, "TIME",
     "end it and all that it started after 30s, 5m …"},
    {"detach", 'd', OPTION_FLAG, &set.detach, NULL,
     "do not wait for it; its output goes to 'box logs'"},
    {"wait", 0, OPTION_TEXT, &set.wait, "WHAT",
     "background processes at its end: foreground (leave), background (wait), kill",
     "foreground background kill"},
    {0},
};

static int wait_mode(const char *word)
{
    static const char *const words[] = {"foreground", "background", "kill"};
    G_STATIC_ASSERT(G_N_ELEMENTS(words) == SESSION_WAITS);
    for (int i = 0; word && i < SESSION_WAITS; i++) {
        if (strcmp(word, words[i]) == 0)
            return i;
    }
    return SESSION_WAIT_FOREGROUND;
}

static gboolean check(const arguments *given, gint64 *seconds, GError **error)
{
    *seconds = 0;
    if (!given->command || !given->command[0])
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "no command: box run [PROJECT] -- COMMAND…; 'box enter' opens a shell");
    else if (set.timeout && (!text_parse_duration(set.timeout, seconds) || *seconds == 0))
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "--timeout takes a time such as 30s, 5m or 2h");
    else if (set.tty && set.detach)
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "--tty and --detach do not go together");
    else
        return TRUE;
    return FALSE;
}

static int run(const arguments *given, GError **error)
{
    gint64 seconds;
    if (!check(given, &seconds, error))
        return -1;
    g_autoptr(box) self = project_box(arguments_first(given), PROJECT_REGISTER, error);
    if (!self)
        return -1;
    if (set.env)
        g_ptr_array_add(set.env, NULL);
    session_wish wish = {
        .command = given->command,
        .tty = set.tty,
        .root = set.user != NULL,
        .detach = set.detach,
        .wait = wait_mode(set.wait),
        .timeout_ms = (guint64)seconds * 1000,
        .workdir = set.workdir,
        .env = set.env ? (const char *const *)set.env->pdata : NULL,
    };
    return sessions_run(self, &wish, error);
}

const command command_run = {
    .name = "run",
    .group = GROUP_WORK,
    .arguments = "[PROJECT] -- COMMAND…",
    .summary = "run one command in the box of a project",
    .details =
        "Pipes, exit status and signals pass through. The exit status is the command's own;\n"
        "124 after a timeout, 126 and 127 when it cannot be run or found, 125 when box failed.",
    .options = options,
    .completes = COMPLETE_PROJECT,
    .operands_max = 1,
    .takes_command = TRUE,
    .run = run,
};
