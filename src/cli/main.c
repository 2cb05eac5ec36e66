/* `box`: finds the command or shim, runs it, prints its error, and exits with its status. */
#include <stdio.h>
#include <string.h>

#include "box/branch/take.h"
#include "box/lifecycle/clone.h"
#include "box/lifecycle/rename.h"
#include "box/registry/registry.h"
#include "box/registry/shims.h"
#include "box/session/freeze.h"
#include "box/session/secret_detach.h"
#include "box/snapshot/restore.h"
#include "build-config.h"
#include "cli/cli.h"
#include "cli/commands/command.h"
#include "common/paths.h"
#include "common/text.h"
#include "console/log.h"
#include "sys/crash.h"
#include "sys/debug.h"

static int print_error(GError *error)
{
    int status = box_error_exit_status(error);
    log_error("%s", error->message);
    g_error_free(error);
    return status;
}

static int unknown_command(const char *word)
{
    const struct foreign_word *foreign = foreign_word_find(word);
    if (foreign) {
        log_error("unknown command '%s': %s", word, foreign->says);
        return 64;
    }
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
        log_error("unknown option '%s' before the command; known are --debug, --help and --version",
                  safe);
    else if (near)
        log_error("unknown command '%s'; did you mean 'box %s'?", safe, near);
    else
        log_error("unknown command '%s'; 'box help' lists all commands", safe);
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
                    DEBUG_VARIABLE ": unknown topic '%s'; known topics are %s", safe,
                    debug_topic_list());
        return FALSE;
    }
    debug_start("box");
    return TRUE;
}

/* What killed commands have left half done, before anything looks for boxes. */
static void repair(void)
{
    box_rename_repair();
    box_clone_repair();
    branch_take_repair();
    restore_repair();
    secret_detach_repair();
    freeze_repair();
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
        safe_path_set();
        repair();
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
    int status = -1;
    if (paths_check_instance(&error)) {
        repair();
        status =
            strcmp(name, "git") == 0 ? shim_run_git(argv, &error) : shim_run(name, argv, &error);
    }
    return error ? print_error(error) : status;
}

/* ARGV begins with the command. */
static int dispatch(char **argv)
{
    const char *word = argv[0];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        help_overview(stdout);
        return 0;
    }
    if (strcmp(word, "--version") == 0) {
        puts("box " BOX_VERSION);
        return 0;
    }
    const struct command *row = command_find(word);
    const struct foreign_word *foreign = row ? NULL : foreign_word_find(word);
    if (foreign && foreign->means) {
        g_autofree char **line = foreign_word_replace(foreign, argv);
        return dispatch(line);
    }
    return row ? run_command(row, argv + 1) : unknown_command(word);
}

/* `box` alone says where one is; where that is no project, how it is used. */
static int no_command(void)
{
    if (paths_check_instance(NULL)) {
        repair();
        if (here_print())
            return 0;
    }
    help_overview(stderr);
    return 64;
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
    if (argc > 2 && strcmp(argv[1], "--shim") == 0) /* from src/launcher/main.c */
        return run_shim(argv[2], argv + 2);
    if (argc > 1 && strcmp(argv[1], "--debug") == 0) {
        debug_everything();
        argc--;
        argv++;
    }
    int status = argc > 1 ? dispatch(argv + 1) : no_command();
    /* A full disk or a closed pipe must not look like success. */
    if (fflush(stdout) != 0 || ferror(stdout))
        return status ? status : 125;
    return status;
}
