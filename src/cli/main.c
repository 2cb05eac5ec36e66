/* `box`: finds the command, runs it, prints its error, exits with its status. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "box/command.h"
#include "box/help.h"
#include "box/say.h"
#include "cli/shim_run.h"
#include "box/shims.h"
#include "build-config.h"
#include "common/paths.h"
#include "common/text.h"

static int print_error(GError *error)
{
    int status = box_error_exit_status(error);
    say_error("%s", error->message);
    g_error_free(error);
    return status;
}

static int unknown_command(const char *word)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (const command *const *row = commands; *row; row++) {
        g_ptr_array_add(names, (gpointer)(*row)->name);
        if ((*row)->alias)
            g_ptr_array_add(names, (gpointer)(*row)->alias);
    }
    g_ptr_array_add(names, NULL);
    g_autofree char *safe = text_safe(word, -1);
    const char *near = text_nearest(word, (const char *const *)names->pdata);
    if (*word == '-')
        say_error("there is no option '%s' in front of a command; there are --help and --version",
                  safe);
    else if (near)
        say_error("there is no command '%s'; did you mean 'box %s'?", safe, near);
    else
        say_error("there is no command '%s'; 'box help' lists them", safe);
    return 64;
}

static gboolean check_operands(const command *row, const arguments *given, GError **error)
{
    if ((int)g_strv_length(given->operands) > row->operands_max) {
        g_autofree char *safe = text_safe(given->operands[row->operands_max], -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    row->takes_command
                        ? "'%s' is one word too many; a command goes behind '--': box %s %s"
                        : "'%s' is one word too many: box %s %s",
                    safe, row->name, row->arguments);
        return FALSE;
    }
    if (given->command && !row->takes_command) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "'box %s' takes no command", row->name);
        return FALSE;
    }
    return TRUE;
}

static gboolean wants_help(char **argv)
{
    for (; *argv && strcmp(*argv, "--") != 0; argv++) {
        if (strcmp(*argv, "--help") == 0 || strcmp(*argv, "-h") == 0)
            return TRUE;
    }
    return FALSE;
}

static int run_command(const command *row, char **argv)
{
    g_auto(arguments) given = {0};
    GError *error = NULL;
    if (wants_help(argv)) {
        help_command(row, stdout);
        return 0;
    }
    int status = -1;
    if (paths_check_instance(&error) && options_parse(row->options, argv, &given, &error) &&
        check_operands(row, &given, &error))
        status = row->run(&given, &error);
    return error ? print_error(error) : status;
}

static int run_shim(const char *name, char **argv)
{
    GError *error = NULL;
    int status = paths_check_instance(&error) ? shim_run(name, argv, &error) : -1;
    return error ? print_error(error) : status;
}

int main(int argc, char **argv)
{
    say_begin();
    shims_leave_path();
    const char *shim = shims_called();
    if (shim && argc > 0)
        return run_shim(shim, argv);
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
    const command *row = command_find(word);
    if (!row)
        return unknown_command(word);
    int status = run_command(row, argv + 2);
    /* A full disk or a closed pipe must not look like success. */
    if (fflush(stdout) != 0 || ferror(stdout))
        return status ? status : 125;
    return status;
}
