#include "cli/commands/agent.h"

#include <unistd.h>

#include "box/exec/agents.h"
#include "box/snapshot/snapshot.h"
#include "config/config.h"

/* An agent can reach the home, and the project unless it works on a branch. FALSE with ERROR. */
static gboolean snapshot_before_agent(const struct box *on, GError **error)
{
    g_autoptr(config) read = config_load(on->project, on->base, NULL, TRUST_SKIP, NULL);
    g_autoptr(box) of = read && !on->isolated ? registry_by_name(on->base, NULL) : NULL;
    guint number;
    return !of || snapshot_auto(of, config_settings(read), TRUE, !on->branch, &number, error);
}

/* SELF has not had it before. */
static gboolean is_new(const struct box *self, const agent_preset *preset)
{
    g_autofree char *version = agents_version(self, preset->name);
    return !version;
}

gboolean preset_install(struct box *self, const agent_preset *preset, GError **error)
{
    gboolean first = is_new(self, preset);
    if (!agents_install(self, preset, FALSE, error))
        return FALSE;
    if (first)
        agent_secrets_note(self, preset);
    return TRUE;
}

int preset_run(struct box *self, const agent_preset *preset, gboolean asks, char *const *arguments,
               GError **error)
{
    g_autofree char *program = NULL;
    if (!snapshot_before_agent(self, error))
        return -1;
    agent_network_note(self, preset);
    gboolean first = is_new(self, preset);
    int held = agents_hold(self, preset, &program, error);
    if (held < 0)
        return -1;
    if (first)
        agent_secrets_note(self, preset);
    int status = agents_run(self, preset, asks, program, arguments, error);
    close(held);
    return status;
}
