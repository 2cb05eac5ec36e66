#include <stdio.h>
#include <string.h>

#include "box/commands/commands.h"
#include "box/completion.h"
#include "box/completion_operands.h"
#include "box/registry/registry.h"

static struct {
    gboolean projects, operands;
} set;

static const option options[] = {
    {"projects", 0, OPTION_FLAG, &set.projects, NULL,
     "print the names of all boxes, a line each, as the scripts want them"},
    {"operands", 0, OPTION_FLAG, &set.operands, NULL,
     "print what can stand behind COMMAND VERB; status 1: a file's name"},
    {0},
};

/* At every press of the tabulator key: no Podman, no configuration. */
static int print_projects(void)
{
    g_auto(GStrv) names = registry_names();

    for (char **name = names; *name; name++)
        puts(*name);
    return 0;
}

static int run(const arguments *given, GError **error)
{
    static const struct {
        const char *shell;
        void (*print)(FILE *out);
    } shells[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};
    const char *shell = arguments_first(given);

    if (set.projects)
        return print_projects();
    if (set.operands && shell)
        return completion_operands(shell, given->operands[1]) ? 0 : 1;
    for (gsize i = 0; shell && !given->operands[1] && i < G_N_ELEMENTS(shells); i++) {
        if (strcmp(shells[i].shell, shell) == 0) {
            shells[i].print(stdout);
            return 0;
        }
    }
    g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                "say for which shell: box completion bash | zsh | fish");
    return -1;
}

const command command_completion = {
    .name = "completion",
    .group = GROUP_SETUP,
    .arguments = "bash|zsh|fish | --operands COMMAND VERB",
    .verbs = "bash zsh fish",
    .summary = "print a shell's completion script",
    .details = "An installation has them in place. To try one: source <(box completion bash)",
    .options = options,
    .operands_max = 2,
    .run = run,
};
