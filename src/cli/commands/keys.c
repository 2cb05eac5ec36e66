#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands/attach.h"
#include "cli/commands/command.h"
#include "cli/commands/keys_table.h"
#include "cli/commands/project.h"
#include "common/paths.h"

/* The options as they were given, for the program to parse them again. */
static void add_options(GPtrArray *argv)
{
    for (const option *row = keys_option_table; row->kind != OPTION_END; row++) {
        if (row->kind == OPTION_FLAG && *(const gboolean *)row->target)
            g_ptr_array_add(argv, g_strconcat("--", row->name, NULL));
        else if (row->kind == OPTION_TEXT && *(const char *const *)row->target)
            g_ptr_array_add(
                argv, g_strconcat("--", row->name, "=", *(const char *const *)row->target, NULL));
    }
}

/* Runs litterbox-keys with the same words. */
static int run_program(const struct command_call *call, GError **error)
{
    g_autofree char *program = paths_libexec("litterbox-keys");
    g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);

    g_ptr_array_add(argv, g_strdup(program));
    add_options(argv);
    if (call->json)
        g_ptr_array_add(argv, g_strdup("--json"));
    g_ptr_array_add(argv, g_strdup(call->verb->name));
    for (char **word = call->operands; *word; word++)
        g_ptr_array_add(argv, g_strdup(*word));
    g_ptr_array_add(argv, NULL);
    execv(program, (char **)argv->pdata);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot run '%s': %s", program,
                g_strerror(errno));
    return -1;
}

static int run(const struct command_call *call, GError **error)
{
    enum keys_verb verb = (enum keys_verb)(call->verb - keys_verbs);
    if (verb != KEYS_ATTACH && verb != KEYS_DETACH)
        return run_program(call, error);
    g_autoptr(box) self = project_box(call->operands[1], PROJECT_EXISTING, error);
    gboolean (*change)(const struct box *self, const char *key, GError **error) =
        verb == KEYS_ATTACH ? attach_key : detach_key;
    return self && change(self, call->operands[0], error) ? 0 : -1;
}

const struct command command_keys = {
    .name = "keys",
    .group = GROUP_SETUP,
    .verbs = keys_verbs,
    .summary = "keep SSH keys, encrypted, for boxes to sign with",
    .details = "Passwords are asked for on the terminal, or read from a descriptor; never from the "
               "command\nline or the environment. --password-fd 0 reads standard input.",
    .options = keys_option_table,
    .run = run,
};
