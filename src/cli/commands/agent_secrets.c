#include "cli/commands/agent.h"

#include "box/exec/agents.h"
#include "box/helpers/secrets.h"
#include "config/secret_file.h"
#include "console/log.h"

/* TRUE when one of SECRET's hosts is one that an agent needs. */
static gboolean is_for_agent(const secret_definition *secret, const struct network_rules *rules)
{
    for (guint i = 0; i < secret->hosts->len; i++) {
        const secret_host *host = &g_array_index(secret->hosts, secret_host, i);
        if (network_rules_name(rules, host->name, host->port))
            return TRUE;
    }
    return FALSE;
}

char *agent_secrets(const struct box *self, const agent_preset *preset)
{
    struct network_rules rules = {0};
    g_autoptr(GString) names = g_string_new(NULL);
    g_auto(GStrv) attached = secrets_attached(self, NULL);
    gboolean known = agent_network_rules(preset->network, &rules, NULL);
    for (char **name = attached; known && name && *name; name++) {
        g_autoptr(secret_definition) secret = secret_file_read(*name, NULL);
        if (secret && is_for_agent(secret, &rules))
            g_string_append_printf(names, "%s%s", names->len ? ", " : "", *name);
    }
    network_rules_clear(&rules);
    return g_strdup(names->str);
}

static gboolean may_have_secret(const agent_preset *preset)
{
    return preset->network &&
           (!preset->login_by || g_strv_contains((const char *const *)preset->login_by, "secret"));
}

void agent_secrets_note(const struct box *self, const agent_preset *preset)
{
    g_autofree char *attached = may_have_secret(preset) ? agent_secrets(self, preset) : NULL;
    if (!attached || *attached || agents_has_login(self, preset))
        return;
    log_note(
        "box '%s' has no secret for '%s', and no login: what you log in with is kept in its home; "
        "'box secret add' keeps a key outside, as 'man box-secret' shows",
        self->base, preset->name);
}
