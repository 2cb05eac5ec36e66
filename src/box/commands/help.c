#include <stdio.h>

#include "box/commands/commands.h"
#include "box/help.h"
#include "common/text.h"

static int run(const arguments *given, GError **error)
{
    const char *word = arguments_first(given);
    const command *row = word ? command_find(word) : NULL;
    if (word && !row) {
        g_autofree char *safe = text_safe(word, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "there is no command '%s'", safe);
        return -1;
    }
    if (row)
        help_command(row, stdout);
    else
        help_overview(stdout);
    return 0;
}

const command command_help = {
    .name = "help",
    .group = GROUP_LOOK,
    .arguments = "[COMMAND]",
    .summary = "show how a command is used",
    .completes = COMPLETE_COMMANDS,
    .operands_max = 1,
    .run = run,
};
