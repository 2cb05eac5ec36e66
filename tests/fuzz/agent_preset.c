/* A preset of an agent: what is accepted has no option in place of a package, program or variable,
 * and every word can be passed on. */
#include <stdint.h>
#include <string.h>

#include "config/agent_preset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_start(const agent_preset_start *start)
{
    for (char **each = start->env; each && *each; each++) {
        const char *equals = strchr(*each, '=');
        g_assert_true(equals && equals > *each && !g_ascii_isdigit(**each));
    }
    g_assert_true(!start->arguments || g_strv_length(start->arguments) <= AGENT_PRESET_LIST_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(agent_preset) self =
        agent_preset_parse("tool", "tool.toml", (const char *)data, size, &error);

    g_assert_true((self != NULL) != (error != NULL));
    g_assert_true(!error || g_utf8_validate(error->message, -1, NULL));
    if (!self)
        return 0;
    g_assert_true(*self->package == '/' || *self->package == '@' ||
                  g_ascii_isalnum(*self->package));
    g_assert_true(g_ascii_isalnum(*self->program) && !strchr(self->program, '/'));
    g_assert_true(!self->version || (*self->version && *self->version != '-'));
    check_start(&self->always);
    check_start(&self->no_ask);
    check_start(&self->ask);
    g_autofree char *package = agent_preset_package(self);
    g_auto(GStrv) command = agent_preset_command(self, size % 2, "/x", "/p", NULL);
    g_auto(GStrv) env = agent_preset_env(self, size % 2);
    g_assert_true(*package && *command && env);
    return 0;
}
