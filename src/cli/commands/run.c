#include <string.h>

#include "box/exec/interpreter.h"
#include "box/exec/output_pieces.h"
#include "box/exec/sessions.h"
#include "box/lifecycle/ephemeral.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "common/text.h"
#include "common/units.h"
#include "console/output.h"
#include "proto/session.h"
#include "session/client.h"

/* Bytes of output in the JSON; more is possible with --max-output. */
#define OUTPUT_USUAL (1 << 20)
#define OUTPUT_MOST (64 << 20)

static struct {
    gboolean interactive, tty, no_tty, detach, ephemeral;
    const char *workdir, *user, *timeout, *wait, *language, *max_output;
    GPtrArray *env, *files;
} run_given;

static const option run_options[] = {
    {"env", 'e', OPTION_LIST, &run_given.env, "K=V", "set a variable; K alone passes on yours"},
    {"workdir", 'w', OPTION_TEXT, &run_given.workdir, "DIR", "start in this folder"},
    {"user", 'u', OPTION_TEXT, &run_given.user, "USER",
     "run as root of the box (only root is possible)", "root"},
    {"tty", 't', OPTION_FLAG, &run_given.tty, NULL, "use a terminal even if yours is redirected"},
    {"interactive", 'i', OPTION_FLAG, &run_given.interactive, NULL,
     "pass on standard input, which is the default"},
    {"no-tty", 'T', OPTION_FLAG, &run_given.no_tty, NULL, "use no terminal"},
    {"timeout", 0, OPTION_TEXT, &run_given.timeout, "TIME",
     "stop it, and all it started, after this time: 30s, 5m …"},
    BRANCH_OPTIONS(""),
    {"detach", 'd', OPTION_FLAG, &run_given.detach, NULL,
     "do not wait for it; its output goes to 'box logs'"},
    {"ephemeral", 0, OPTION_FLAG, &run_given.ephemeral, NULL,
     "use a temporary box with an empty home"},
    {"file", 0, OPTION_LIST, &run_given.files, "PATH",
     "like --ephemeral, with only this path of the project"},
    {"wait", 0, OPTION_TEXT, &run_given.wait, "WHAT",
     "background processes: foreground (leave), background (wait), kill",
     "foreground background kill"},
    {"stdin-code", 0, OPTION_TEXT, &run_given.language, "LANGUAGE",
     "run the code on standard input; words after -- are its arguments", INTERPRETER_LANGUAGES},
    {"max-output", 0, OPTION_TEXT, &run_given.max_output, "SIZE",
     "with --json: how much output it has, 1M if not given"},
    {0},
};

static const foreign_option run_foreign[] = {
    {"rm", 0, "use --ephemeral for a temporary box"},
    {"name", 0, "write the name of the box before the '--': box run NAME -- COMMAND"},
    {"volume", 'v', "[[mount]] in litterbox.toml shows the box more folders"},
    {"mount", 0, "[[mount]] in litterbox.toml shows the box more folders"},
    {"publish", 'p', "'box port add' forwards a port"},
    {"network", 0, "[network] in litterbox.toml sets what the box reaches"},
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

typedef struct {
    gint64 seconds, output;
} limits;

static gboolean check_json(const struct command_call *call, limits *wanted, GError **error)
{
    wanted->output = OUTPUT_USUAL;
    if (call->json && (run_given.tty || run_given.detach))
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "--json cannot be combined with --tty or --detach");
    else if (run_given.max_output && !call->json)
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "--max-output needs --json");
    else if (run_given.max_output && (!units_parse_size(run_given.max_output, &wanted->output) ||
                                      wanted->output > OUTPUT_MOST))
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "--max-output needs a size such as 64k or 1M, of 64M at most");
    else
        return TRUE;
    return FALSE;
}

static gboolean check_run(const struct command_call *call, limits *wanted, GError **error)
{
    gint64 *seconds = &wanted->seconds;
    *seconds = 0;
    if (!run_given.language && (!call->command || !call->command[0]))
        g_set_error(
            error, BOX_ERROR, BOX_ERROR_USAGE,
            "missing command; usage: box run [PROJECT] -- COMMAND…; 'box enter' opens a shell");
    else if (run_given.timeout &&
             (!units_parse_duration(run_given.timeout, seconds) || *seconds == 0))
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "--timeout needs a time such as 30s, 5m or 2h");
    else if (run_given.tty && run_given.detach)
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "--tty and --detach cannot be combined");
    else if (run_given.tty && run_given.no_tty)
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "--tty and --no-tty cannot be combined");
    else if (run_given.detach && (run_given.ephemeral || run_given.files))
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "--detach cannot be combined with --ephemeral or --file");
    else if (run_given.language && (run_given.tty || run_given.detach))
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "--stdin-code cannot be combined with --tty or --detach");
    else if (branch_option_name && (run_given.ephemeral || run_given.files))
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "--branch cannot be combined with --ephemeral or --file");
    else
        return check_json(call, wanted, error);
    return FALSE;
}

/* The end of a terminal's session ends what it has left in the background, too, so a request for
 * that to continue is one for no terminal. */
static gboolean wants_terminal(void)
{
    if (run_given.language)
        return FALSE;
    if (run_given.tty || run_given.no_tty || run_given.detach)
        return run_given.tty;
    return (!run_given.wait || wait_mode(run_given.wait) == SESSION_WAIT_KILL) &&
           session_has_terminal();
}

/* The path of FILE below the project, as the plan wants it. NULL with ERROR when it is outside. */
static char *below_project(const struct box *self, const char *file, GError **error)
{
    g_autofree char *absolute = g_canonicalize_filename(file, NULL);
    gsize length = strlen(self->project);
    if (strncmp(absolute, self->project, length) == 0 && absolute[length] == '/')
        return g_strdup(absolute + length + 1);
    g_autofree char *safe = text_safe(file, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "--file: '%s' is not in the project", safe);
    return NULL;
}

static gboolean collect_files(const struct box *self, GPtrArray *only, GError **error)
{
    for (guint i = 0; i < run_given.files->len; i++) {
        char *path = below_project(self, run_given.files->pdata[i], error);
        if (!path)
            return FALSE;
        g_ptr_array_add(only, path);
    }
    g_ptr_array_add(only, NULL);
    return TRUE;
}

static int run_ephemeral(const struct box *of, const session_options *requested, GError **error)
{
    /* The box stops with its only session, even if this process is killed before. */
    static const char *const flags[] = {"box.idle_stop=0", "box.keep_alive=sessions", NULL};
    g_autoptr(GPtrArray) only = g_ptr_array_new_with_free_func(g_free);
    session_options session = *requested;
    ephemeral_box fresh;
    session.flags = flags;
    if ((run_given.files && !collect_files(of, only, error)) ||
        !ephemeral_box_create(&fresh, of, run_given.files ? (const char *const *)only->pdata : NULL,
                              error))
        return -1;
    int status = box_run_session(fresh.box, &session, error);
    ephemeral_box_remove(&fresh, NULL);
    return status;
}

static int run_session(struct box *self, const session_options *session, GError **error)
{
    return run_given.ephemeral || run_given.files ? run_ephemeral(self, session, error)
                                                  : box_run_session(self, session, error);
}

static void collect_output(int fd, const char *bytes, gsize length, void *data)
{
    output_pieces_add(data, fd, bytes, length);
}

static int run_json(struct box *self, session_options *session, gint64 most, GError **error)
{
    g_autoptr(output_pieces) output = output_pieces_new((gsize)most);
    struct client_result result = {0};
    session->tty = FALSE;
    session->output = collect_output;
    session->output_data = output;
    session->result = &result;
    gint64 started = g_get_monotonic_time();
    int status = run_session(self, session, error);
    double duration = (double)(g_get_monotonic_time() - started) / G_USEC_PER_SEC;
    if (status >= 0)
        json_print(session_json(status, &result, duration, output, FALSE));
    return status;
}

static int run_command(const struct command_call *call, GError **error)
{
    limits wanted;
    if (!check_run(call, &wanted, error))
        return -1;
    g_autoptr(box) self =
        branch_option_apply(project_box(call->operands[0], PROJECT_REGISTER, error), error);
    if (!self)
        return -1;
    const interpreter *language = run_given.language ? interpreter_find(run_given.language) : NULL;
    g_autofree char **code = language ? interpreter_command(language, call->command) : NULL;
    session_options session = {
        .command = code ? code : call->command,
        .instead = language ? language->instead : NULL,
        .tty = wants_terminal(),
        .apart_stderr = TRUE,
        .root = run_given.user != NULL,
        .detach = run_given.detach,
        .wait = wait_mode(run_given.wait),
        .timeout_ms = (guint64)wanted.seconds * 1000,
        .workdir = run_given.workdir,
        .env = options_list(run_given.env),
    };
    return call->json ? run_json(self, &session, wanted.output, error)
                      : run_session(self, &session, error);
}

const struct command command_run = {
    .name = "run",
    .group = GROUP_WORK,
    .operands = "[PROJECT] -- COMMAND…",
    .json = "print status, duration and output as JSON",
    .summary = "run one command in the box of a project",
    .details =
        "On a terminal the command gets one, as with ssh -t; -T gives it pipes. Signals pass\n"
        "through. The exit status is the command's own; 124 after a timeout, 126 and 127 when it\n"
        "cannot be run or found, 125 when box failed.",
    .options = run_options,
    .foreign = run_foreign,
    .completes = COMPLETE_PROJECT,
    .most = 1,
    .flags = COMMAND_TAKES_COMMAND | COMMAND_JSON,
    .run = run_command,
};
