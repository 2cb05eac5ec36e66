/* The one table of commands. */
#include <string.h>

#include "box/commands/commands.h"

const command *const commands[] = {
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

const command *command_find(const char *word)
{
    for (const command *const *row = commands; *row; row++) {
        if (strcmp((*row)->name, word) == 0 || g_strcmp0((*row)->alias, word) == 0)
            return *row;
    }
    return NULL;
}

int command_run_verb(const command_verb *verbs, const arguments *given, gboolean json,
                     const char *usage, GError **error)
{
    const char *first = arguments_first(given);
    for (; first && verbs->name; verbs++) {
        guint behind = g_strv_length(given->operands) - 1;
        if (strcmp(verbs->name, first) == 0 && behind >= verbs->least && behind <= verbs->most &&
            (!json || verbs->json))
            return verbs->run(given, error);
    }
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_USAGE, usage);
    return -1;
}
