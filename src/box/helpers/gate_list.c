#include "box/helpers/gate_list.h"

#include <string.h>

#include "box/helpers/gate_answers.h"
#include "box/helpers/gate_rules.h"
#include "box/helpers/package_hosts.h"
#include "box/helpers/secrets.h"
#include "config/check.h"
#include "config/network_groups.h"
#include "proto/network_requests.h"
#include "proto/secret_files.h"

/* In the file. */
static const char *const sources[] = {
    [GATE_FROM_CONFIG] = "config",
    [GATE_FROM_NET] = "net",
    [GATE_FROM_ANSWER] = "answer",
    [GATE_FROM_SECRET] = "secret",
};

typedef struct {
    const struct box *box;
    GPtrArray *missing; /* or NULL */
    GString *text;
    GHashTable *seen; /* rules with their word */
} list;

static void add_rule(list *self, const char *word, const char *rule, enum gate_source source,
                     const char *group)
{
    g_autofree char *line = g_strdup_printf("%s %s", word, rule);
    /* Two groups may have the same rule; that of the entry that comes first is shown. */
    if (g_hash_table_contains(self->seen, line))
        return;
    g_string_append_printf(self->text, "%s\t%s%s%s\n", line, sources[source], group ? "\t" : "",
                           group ? group : "");
    g_hash_table_add(self->seen, g_steal_pointer(&line));
}

static gboolean add_computed(list *self, const char *word, const char *computed,
                             enum gate_source source, const char *group, GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_auto(GStrv) rules = self->box ? package_hosts_read(self->box, computed, &problem) : NULL;
    for (char **rule = rules; rule && *rule; rule++)
        add_rule(self, word, *rule, source, group);
    if (!rules && !problem && self->missing) {
        if (!g_ptr_array_find_with_equal_func(self->missing, computed, g_str_equal, NULL))
            g_ptr_array_add(self->missing, g_strdup(computed));
        return TRUE;
    }
    if (problem)
        g_propagate_error(error, g_steal_pointer(&problem));
    else if (!rules)
        g_set_error(error, BOX_ERROR, BOX_ERROR_STATE,
                    "the hosts of '%s' are found out when the container of a box is made: run 'box "
                    "apply' to make it anew",
                    computed);
    return rules != NULL;
}

static gboolean add_entry(list *self, const char *word, const char *entry, enum gate_source source,
                          GError **error)
{
    if (!network_group_is(entry)) {
        add_rule(self, word, entry, source, NULL);
        return TRUE;
    }
    g_auto(GStrv) rules = network_group_read(entry, strcmp(word, "deny") == 0, error);
    for (char **rule = rules; rule && *rule; rule++) {
        if (!network_group_is(*rule))
            add_rule(self, word, *rule, source, entry);
        else if (!add_computed(self, word, *rule, source, entry, error))
            return FALSE;
    }
    return rules != NULL;
}

static gboolean add_entries(list *self, const char *word, char *const *entries, GError **error)
{
    for (; entries && *entries; entries++)
        if (!add_entry(self, word, *entries, GATE_FROM_CONFIG, error))
            return FALSE;
    return TRUE;
}

static gboolean add_own(list *self, GError **error)
{
    g_auto(GStrv) lines = self->box ? gate_rules_read(self->box, error) : g_new0(char *, 1);
    for (char **line = lines; line && *line; line++) {
        g_auto(GStrv) parts = g_strsplit(*line, " ", 2);
        if (!add_entry(self, parts[0], parts[1], GATE_FROM_NET, error))
            return FALSE;
    }
    return lines != NULL;
}

/* TRUE when rules allow some requests to the host of HOST_RULE: a secret must not add the others.
 */
static gboolean has_requests(const list *self, const char *host_rule)
{
    struct network_rules rules = {0};
    struct network_rule host;
    const char *wrong;
    gboolean found = network_rule_parse(host_rule, false, &host, &wrong) == 0 &&
                     network_rules_parse(self->text->str, self->text->len, &rules) == 0 &&
                     network_requests_digest(&rules, host.name, host.port) != 0;
    network_rules_clear(&rules);
    return found;
}

/*
 * The configuration may name a host with methods or paths, and as a whole in another place, such as
 * a group. Who wrote the first meant to hold the box to it, and the second would void that without
 * a word. `box net` may: the user says so for this box.
 */
static gboolean check_requests(const list *self, GError **error)
{
    struct network_rules rules;
    const struct network_rule *wide = NULL;
    char text[NETWORK_RULE_SIZE], other[NETWORK_RULE_SIZE];
    if (network_rules_parse(self->text->str, self->text->len, &rules) < 0)
        return TRUE; /* the gate says so */
    for (size_t i = 0; i < rules.count && !wide; i++) {
        const struct network_rule *each = &rules.rules[i];
        if (!request_rule_is_set(&each->request))
            continue;
        wide = network_rules_name(&rules, each->name, each->port);
        if (wide && request_rule_is_set(&wide->request))
            wide = NULL;
        network_rule_text(each, text);
    }
    if (wide) {
        network_rule_text(wide, other);
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "network.allow: '%s' would hold nothing back, as '%s' allows every request: "
                    "remove that, or the group that has it; mode \"ask\" has @registries and "
                    "@forges, \"filtered\" no group of its own",
                    text, other);
    }
    network_rules_clear(&rules);
    return wide == NULL;
}

/* The gate hands those of a host over in one message, with the host. */
#define REQUESTS_MAX (SECRETS_MESSAGE_MAX - HOST_NAME_SIZE - 8)

/* FALSE: the connections would be refused, which says nothing about the rules. */
static gboolean check_lengths(const list *self, GError **error)
{
    struct network_rules rules;
    g_autofree char *text = g_malloc(REQUESTS_MAX);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    gboolean fit = TRUE;
    if (network_rules_parse(self->text->str, self->text->len, &rules) < 0)
        return TRUE; /* the gate says so */
    for (size_t i = 0; i < rules.count && fit; i++) {
        const struct network_rule *each = &rules.rules[i];
        if (!request_rule_is_set(&each->request) ||
            !g_hash_table_add(seen, g_strdup_printf("%s:%u", each->name, each->port)) ||
            network_requests_write(&rules, each->name, each->port, text, REQUESTS_MAX) >= 0)
            continue;
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "the rules with methods or paths for '%s:%u' are longer than %d KiB together, "
                    "with those of groups and of 'box net': use fewer, such as one with '**'",
                    each->name, each->port, SECRETS_MESSAGE_MAX / 1024);
        fit = FALSE;
    }
    network_rules_clear(&rules);
    return fit;
}

static void add_secrets(list *self)
{
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
    if (self->box)
        secrets_add_rules(self->box, lines);
    for (guint i = 0; i < lines->len; i++) {
        g_auto(GStrv) parts = g_strsplit(lines->pdata[i], " ", 2);
        if (!has_requests(self, parts[1]))
            add_rule(self, parts[0], parts[1], GATE_FROM_SECRET, NULL);
    }
}

/* The others are rules of `box net` too. */
static gboolean add_answers_until_stop(list *self, gboolean running, GError **error)
{
    if (!self->box)
        return TRUE;
    g_autoptr(GPtrArray) answers = gate_answers_read(self->box, running, error);
    for (guint i = 0; answers && i < answers->len; i++) {
        const gate_answer *each = answers->pdata[i];
        g_auto(GStrv) parts = g_strsplit(each->line, " ", 2);
        if (each->until_stop)
            add_rule(self, parts[0], parts[1], GATE_FROM_ANSWER, NULL);
    }
    return answers != NULL;
}

char *gate_list_text(const struct box *self, const settings *known, enum gate_list_when when,
                     GPtrArray *missing, GError **error)
{
    g_autoptr(GString) text = g_string_new(known->network.ech ? NETWORK_RULES_ECH "\n" : NULL);
    /* There is nothing to ask about where everything is let through. */
    if (known->network.audit)
        g_string_append(text, NETWORK_RULES_AUDIT "\n");
    else if (known->network.ask)
        g_string_append(text, NETWORK_RULES_ASK "\n");
    if (known->network.connections > 0 && known->network.connections != NETWORK_CONNECTIONS)
        g_string_append_printf(text, NETWORK_RULES_CONNECTIONS "%" G_GINT64_FORMAT "\n",
                               known->network.connections);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    list all = {self, missing, text, seen};
    if (!add_entries(&all, "allow", known->network.allow, error) ||
        !add_entries(&all, "deny", known->network.deny, error) || !check_requests(&all, error) ||
        !add_own(&all, error) || !add_answers_until_stop(&all, when != GATE_LIST_NEXT, error))
        return NULL;
    if (when != GATE_LIST_BUILD)
        add_secrets(&all);
    if (g_hash_table_size(seen) > NETWORK_RULES_MAX || text->len > NETWORK_RULES_FILE_MAX) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "there are more rules for the network of a box than %d, with those of groups "
                    "and of 'box net'",
                    NETWORK_RULES_MAX);
        return NULL;
    }
    return check_lengths(&all, error) ? g_strdup(text->str) : NULL;
}

/* A new string; NULL for none, and for what is no name of a group: the text may be that of a gate
 * that a box has taken over. */
static char *checked_group(const char *text)
{
    const char *wrong;
    return text && network_group_is(text) ? check_allow(text, &wrong) : NULL;
}

static void gate_line_free(gpointer data)
{
    struct gate_line *self = data;
    g_free(self->rule);
    g_free(self->group);
    g_free(self);
}

GPtrArray *gate_list_parse(const char *text)
{
    GPtrArray *out = g_ptr_array_new_with_free_func(gate_line_free);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        g_auto(GStrv) parts = g_strsplit(*line, "\t", 3);
        if (!parts[0] || !strchr(parts[0], ' ')) /* the end, or NETWORK_RULES_ECH */
            continue;
        struct gate_line *one = g_new0(struct gate_line, 1);
        one->rule = g_strdup(parts[0]);
        for (guint i = 0; parts[1] && i < G_N_ELEMENTS(sources); i++)
            if (strcmp(parts[1], sources[i]) == 0)
                one->source = (enum gate_source)i;
        one->group = checked_group(parts[1] ? parts[2] : NULL);
        g_ptr_array_add(out, one);
    }
    return out;
}
