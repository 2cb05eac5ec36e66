/* `box`: finds the command or shim, runs it, prints its error, and exits with its status. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "box/exec/sessions.h"
#include "box/exec/shims.h"
#include "box/registry/registry.h"
#include "build-config.h"
#include "cli/cli.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "common/paths.h"
#include "common/text.h"
#include "console/log.h"
#include "sys/crash.h"
#include "sys/debug.h"

#define STATUS_CANNOT_RUN 126
#define STATUS_NOT_FOUND 127

static void warn_left_out(const char *entry, const char *why)
{
    g_autofree char *safe = text_safe(*entry ? entry : ".", -1);
    log_warning("'%s' is left out of PATH: %s", safe,
                why ? "a box can write there" : "it is not an absolute path");
}

static int no_program(const char *name, const char *skipped)
{
    g_autofree char *safe = text_safe(skipped, -1);
    if (skipped)
        log_error("'%s' is not run on this machine: a box can write '%s'; call it by its path if "
                  "that is what you want",
                  name, safe);
    else
        log_error("there is no '%s' on this machine's PATH but the shim", name);
    return STATUS_NOT_FOUND;
}

/* NAME without "-raw", outside of any box; returns only when it cannot be run. */
static int run_raw(const char *name, char **argv)
{
    g_auto(GStrv) projects = registry_projects();
    g_autofree char *path = safe_path(g_getenv("PATH"), projects, warn_left_out);
    g_setenv("PATH", path, TRUE);
    g_autofree char *program = shims_program(name);
    g_autofree char *skipped = program ? safe_path_refusal(program, projects) : NULL;
    if (!program || skipped)
        return no_program(name, skipped);
    argv[0] = (char *)name;
    execv(program, argv);
    g_autofree char *safe = text_safe(program, -1);
    log_error("'%s': %s", safe, g_strerror(errno));
    return STATUS_CANNOT_RUN;
}

static int run_in_box(const char *name, char **argv, GError **error)
{
    g_autofree char *project = project_nearest();
    if (!project) {
        g_autofree char *here = g_get_current_dir();
        g_autofree char *safe = text_safe(here, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                    "'%s' is a shim that runs in the box of a project, and '%s' is in none: go to "
                    "one, make it one with 'box init', or run '%s" SHIMS_RAW
                    "', the one of this machine",
                    name, safe, name);
        return -1;
    }
    g_autoptr(box) self = project_box(project, PROJECT_REGISTER, error);
    if (!self)
        return -1;
    g_autofree char *hint =
        g_strdup_printf("install it there ('box enter' opens a shell); '%s" SHIMS_RAW
                        "' is the one of this machine",
                        name);
    argv[0] = (char *)name;
    session_options options = {
        .command = argv,
        /* If one is redirected, a terminal would mix output that the user wants to separate. */
        .tty = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO),
        .not_found_hint = hint,
    };
    return box_run_session(self, &options, error);
}

/*
 * Runs what the shim NAME stands for (shims.h) with ARGV, its own argv: in the box of the current
 * folder, on a terminal of its own when stdin, stdout and stderr are terminals; "NAME-raw" on this
 * machine. Returns the exit status, -1 with ERROR.
 */
static int execute_shim(const char *name, char **argv, GError **error)
{
    g_autofree char *program = g_str_has_suffix(name, SHIMS_RAW)
                                   ? g_strndup(name, strlen(name) - strlen(SHIMS_RAW))
                                   : NULL;
    /* `shim add` would have refused the name, so somebody else made this link. */
    if (!shims_check_name(program ? program : name, error))
        return -1;
    return program ? run_raw(program, argv) : run_in_box(name, argv, error);
}

static int print_error(GError *error)
{
    int status = box_error_exit_status(error);
    log_error("%s", error->message);
    g_error_free(error);
    return status;
}

static int unknown_command(const char *word)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (const struct command *const *row = commands; *row; row++) {
        g_ptr_array_add(names, (gpointer)(*row)->name);
        if ((*row)->alias)
            g_ptr_array_add(names, (gpointer)(*row)->alias);
    }
    g_ptr_array_add(names, NULL);
    g_autofree char *safe = text_safe(word, -1);
    const char *near = text_nearest(word, (const char *const *)names->pdata);
    if (*word == '-')
        log_error("there is no option '%s' in front of a command; there are --debug, --help and "
                  "--version",
                  safe);
    else if (near)
        log_error("there is no command '%s'; did you mean 'box %s'?", safe, near);
    else
        log_error("there is no command '%s'; 'box help' lists them", safe);
    return 64;
}

static gboolean wants_help(char **argv)
{
    for (; *argv && strcmp(*argv, "--") != 0; argv++) {
        if (strcmp(*argv, "--help") == 0 || strcmp(*argv, "-h") == 0)
            return TRUE;
    }
    return FALSE;
}

/* --debug: all topics, also in the helpers and boxes that this command starts. */
static void debug_everything(void)
{
    g_setenv(DEBUG_VARIABLE, "all", TRUE);
    debug_start("box");
}

static gboolean start_debug(GError **error)
{
    const char *list = g_getenv(DEBUG_VARIABLE), *wrong;
    int length;
    if (list && debug_parse(list, &wrong, &length) < 0) {
        g_autofree char *safe = text_safe(wrong, length);
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    DEBUG_VARIABLE ": there is no topic '%s'; there are %s", safe,
                    debug_topic_list());
        return FALSE;
    }
    debug_start("box");
    return TRUE;
}

static int run_command(const struct command *row, char **argv)
{
    g_auto(command_call) call = {0};
    g_autoptr(podman_client) server = NULL;
    GError *error = NULL;
    if (wants_help(argv)) {
        help_command(row, stdout);
        return 0;
    }
    int status = -1;
    if (paths_check_instance(&error) && command_parse(row, argv, &call, &error)) {
        if (call.debug)
            debug_everything();
        if (command_flags(&call) & COMMAND_NEEDS_PODMAN)
            server = podman_connect(&error);
        call.server = server;
        if (!error)
            status = command_execute(&call, &error);
    }
    return error ? print_error(error) : status;
}

static int run_shim(const char *name, char **argv)
{
    GError *error = NULL;
    int status = paths_check_instance(&error) ? execute_shim(name, argv, &error) : -1;
    return error ? print_error(error) : status;
}

int main(int argc, char **argv)
{
    GError *error = NULL;
    log_start();
    crash_handler_install("box", NULL);
    if (!start_debug(&error))
        return print_error(error);
    shims_remove_from_path();
    const char *shim = shims_called_name();
    if (shim && argc > 0)
        return run_shim(shim, argv);
    if (argc > 1 && strcmp(argv[1], "--debug") == 0) {
        debug_everything();
        argc--;
        argv++;
    }
    if (argc < 2) {
        help_overview(stderr);
        return 64;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        help_overview(stdout);
        return 0;
    }
    if (strcmp(word, "--version") == 0) {
        puts("box " BOX_VERSION);
        return 0;
    }
    const struct command *row = command_find(word);
    if (!row)
        return unknown_command(word);
    int status = run_command(row, argv + 2);
    /* A full disk or a closed pipe must not look like success. */
    if (fflush(stdout) != 0 || ferror(stdout))
        return status ? status : 125;
    return status;
}
