/* The one table of commands. */
#include <string.h>

#include "cli/commands/command.h"

const struct command *const commands[] = {
    &command_enter,  &command_run,     &command_edit,       &command_port, &command_start,
    &command_stop,   &command_restart, &command_apply,      &command_rm,   &command_init,
    &command_build,  &command_trust,   &command_config,     &command_plan, &command_image,
    &command_keys,   &command_device,  &command_shim,       &command_app,  &command_list,
    &command_status, &command_agent,   &command_stats,      &command_logs, &command_help,
    &command_doctor, &command_prune,   &command_completion, NULL,
};

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
