#include "cli/commands/agent.h"

#include <string.h>

#include "box/exec/agents.h"
#include "box/helpers/gate_list.h"
#include "box/helpers/secrets.h"
#include "box/lifecycle/network_list.h"
#include "common/text.h"
#include "config/config.h"
#include "config/secret_file.h"
#include "console/log.h"

static void lack_free(gpointer data)
{
    network_lack *self = data;
    g_free(self->entry);
    g_free(self->rule);
    g_free(self->denied);
    g_free(self);
}

/* The list of ENTRIES alone. MISSING gets the groups whose rules only a box knows. */
static char *list_of(char *const *entries, GPtrArray *missing, GError **error)
{
    const settings wanted = {.network = {.allow = (char **)entries}};
    return gate_list_text(NULL, &wanted, GATE_LIST_NEXT, missing, error);
}

gboolean agent_network_rules(char *const *entries, struct network_rules *rules, GError **error)
{
    g_autoptr(GPtrArray) missing = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *text = list_of(entries, missing, error);
    *rules = (struct network_rules){0};
    return text && network_rules_parse(text, strlen(text), rules) == 0;
}

/* The rule of HELD that decides about all that WANTED allows; a name stands for those of "*.". */
static const struct network_rule *decide_about(const struct network_rules *held,
                                               const struct network_rule *wanted,
                                               enum network_unlisted *unlisted)
{
    char name[HOST_NAME_SIZE + 2];
    *unlisted = UNLISTED_REFUSED;
    if (wanted->kind == RULE_ADDRESS)
        return network_rules_decide_address(held, &wanted->network.address, wanted->port);
    g_snprintf(name, sizeof name, "%s%s", wanted->kind == RULE_SUBDOMAINS ? "x." : "",
               wanted->kind == RULE_HOST ? HOST_IN_BOX : wanted->name);
    *unlisted = network_rules_unlisted(held, name, wanted->port);
    return network_rules_decide(held, name, wanted->port);
}

static void add_lack(GPtrArray *lacks, const char *entry, const char *rule, const char *denied,
                     gboolean asked)
{
    network_lack *lack = g_new0(network_lack, 1);
    lack->entry = g_strdup(entry);
    lack->rule = g_strdup(rule);
    lack->denied = g_strdup(denied);
    lack->asked = asked;
    g_ptr_array_add(lacks, lack);
}

/* What HELD, whose lines are LINES, does not allow of the line WANTED. */
static void check_line(GPtrArray *lacks, const struct network_rules *held, const GPtrArray *lines,
                       const struct gate_line *wanted)
{
    struct network_rule rule;
    const char *text = strchr(wanted->rule, ' ') + 1, *wrong;
    enum network_unlisted unlisted;
    if (network_rule_parse(text, false, &rule, &wrong) < 0)
        return;
    const struct network_rule *by = decide_about(held, &rule, &unlisted);
    const struct gate_line *line = by ? lines->pdata[by - held->rules] : NULL;
    if (by ? by->denies : unlisted != UNLISTED_AUDITED)
        add_lack(lacks, wanted->group ? wanted->group : text, text, line ? line->rule : NULL,
                 unlisted == UNLISTED_ASKED);
}

static gboolean has_group(const GPtrArray *lines, const char *group)
{
    for (guint i = 0; i < lines->len; i++)
        if (g_strcmp0(((const struct gate_line *)lines->pdata[i])->group, group) == 0)
            return TRUE;
    return FALSE;
}

static void compare_lists(GPtrArray *lacks, const char *held, const char *wanted,
                          const GPtrArray *computed)
{
    struct network_rules rules;
    g_autoptr(GPtrArray) lines = gate_list_parse(held), needs = gate_list_parse(wanted);
    /* Broken rules allow nothing. */
    if (network_rules_parse(held, strlen(held), &rules) < 0)
        g_ptr_array_set_size(lines, 0);
    for (guint i = 0; i < needs->len; i++)
        check_line(lacks, &rules, lines, needs->pdata[i]);
    for (guint i = 0; i < computed->len; i++)
        if (rules.unlisted != UNLISTED_AUDITED && !has_group(lines, computed->pdata[i]))
            add_lack(lacks, computed->pdata[i], computed->pdata[i], NULL, FALSE);
    network_rules_clear(&rules);
}

GPtrArray *agent_network_lacks(const struct box *self, const settings *known, char *const *entries,
                               GError **error)
{
    gboolean running;
    g_autoptr(GError) problem = NULL;
    g_autoptr(GPtrArray) lacks = g_ptr_array_new_with_free_func(lack_free);
    g_autoptr(GPtrArray) computed = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) later = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *wanted = list_of(entries, computed, error);
    if (!wanted)
        return NULL;
    g_autofree char *held = network_list_text(self, known, &running, later, &problem);
    if (problem) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return NULL;
    }
    /* The hosts of these groups are found out when the box has a container. */
    for (guint i = 0, at; i < later->len; i++)
        if (g_ptr_array_find_with_equal_func(computed, later->pdata[i], g_str_equal, &at))
            g_ptr_array_remove_index(computed, at);
    if (held)
        compare_lists(lacks, held, wanted, computed);
    return g_steal_pointer(&lacks);
}

char *agent_network_command(const struct box *self, const network_lack *lack)
{
    return g_strdup_printf("box net allow %s %s", self->base, lack->entry);
}

void agent_network_note(const struct box *self, const agent_preset *preset)
{
    g_autoptr(config) read =
        preset->network ? config_load(self->project, self->base, NULL, TRUST_SKIP, NULL) : NULL;
    g_autoptr(GPtrArray) lacks =
        read ? agent_network_lacks(self, config_settings(read), preset->network, NULL) : NULL;
    g_autoptr(GPtrArray) commands = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; lacks && i < lacks->len; i++) {
        const network_lack *each = lacks->pdata[i];
        g_autofree char *command = agent_network_command(self, each);
        /* What the user has denied stays so, and what is asked about is asked. */
        if (!each->denied && !each->asked &&
            !g_ptr_array_find_with_equal_func(commands, command, g_str_equal, NULL))
            g_ptr_array_add(commands, g_steal_pointer(&command));
    }
    if (!commands->len)
        return;
    g_ptr_array_add(commands, NULL);
    g_autofree char *all = g_strjoinv("', '", (char **)commands->pdata);
    g_autofree char *safe = text_safe(all, -1);
    log_note("box '%s' may not reach all that '%s' needs; this allows it: '%s'", self->name,
             preset->name, safe);
}

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
