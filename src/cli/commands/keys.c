#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands/attach.h"
#include "box/commands/commands.h"
#include "cli/commands/project.h"
#include "common/paths.h"
#include "ssh-agent/keys/options.h"

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

/* attach KEY [PROJECT], detach KEY [PROJECT]: of boxes, which the program of the keys knows nothing
 * about. */
static int change_box(const arguments *given,
                      gboolean (*change)(const box *self, const char *key, GError **error),
                      GError **error)
{
    const char *key = given->operands[1];
    if (!key) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "box keys %s KEY [PROJECT]",
                    given->operands[0]);
        return -1;
    }
    g_autoptr(box) self = project_box(given->operands[2], PROJECT_EXISTING, error);
    return self && change(self, key, error) ? 0 : -1;
}

static int run(const arguments *given, GError **error)
{
    const char *verb = arguments_first(given);
    if (g_strcmp0(verb, "attach") == 0)
        return change_box(given, attach_key, error);
    if (g_strcmp0(verb, "detach") == 0)
        return change_box(given, detach_key, error);
    g_autofree char *program = paths_libexec("litterbox-keys");
    g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);

    g_ptr_array_add(argv, g_strdup(program));
    add_options(argv);
    for (char **word = given->operands; *word; word++)
        g_ptr_array_add(argv, g_strdup(*word));
    g_ptr_array_add(argv, NULL);
    execv(program, (char **)argv->pdata);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot run '%s': %s", program,
                g_strerror(errno));
    return -1;
}

const command command_keys = {
    .name = "keys",
    .group = GROUP_SETUP,
    .arguments = "generate|import|list|show|rename|delete|export|passwd|unlock|lock|attach|detach",
    .verbs = KEYS_VERBS,
    .summary = "keep SSH keys, encrypted, for boxes to sign with",
    .details = "Passwords are asked for on the terminal, or read from a descriptor; never from the "
               "command\nline or the environment. --password-fd 0 reads standard input.",
    .options = keys_option_table,
    .completes = COMPLETE_ASKED,
    .operands_max = KEYS_OPERANDS_MAX,
    .run = run,
};
