/* The one table of commands. */
#include <string.h>

#include "cli/commands/command.h"

#define COMMAND_ADDRESS(name) &command_##name,
const struct command *const commands[] = {COMMANDS(COMMAND_ADDRESS) NULL};

static const char *const group_titles[] = {"Work in a box", "A box's life", "Set up", "Look"};
G_STATIC_ASSERT(G_N_ELEMENTS(group_titles) == N_GROUPS);

const char *command_group_title(command_group group)
{
    return group_titles[group];
}

const struct command *command_find(const char *word)
{
    for (const struct command *const *row = commands; *row; row++) {
        if (strcmp((*row)->name, word) == 0 || g_strcmp0((*row)->alias, word) == 0)
            return *row;
    }
    return NULL;
}
