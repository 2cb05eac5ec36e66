#include "cli/commands/net.h"

#include <stdio.h>
#include <string.h>

#include "box/helpers/gate_answers.h"
#include "box/helpers/gate_list.h"
#include "common/text.h"
#include "common/units.h"
#include "console/log.h"
#include "console/output.h"
#include "proto/network_requests.h"
#include "proto/port_mapping.h"

#define FROM_START "start"

static const char *const origins[] = {
    [GATE_FROM_NET] = "box net",
    [GATE_FROM_ANSWER] = "answer",
    [GATE_FROM_SECRET] = "box secret",
};

/* Where the configuration has an entry. */

typedef struct {
    const char *key, *entry, *found;
} search;

static void look_for(const schema_key *row, const void *field, settings_origin origin,
                     const char *file, gpointer user_data)
{
    search *self = user_data;
    g_autofree char *key = schema_name(row);
    char **list = strcmp(key, self->key) == 0 ? *(char ***)field : NULL;
    gboolean by_mode = strcmp(key, "network.mode") == 0 &&
                       *(const enum network_mode *)field == NETWORK_ASK &&
                       config_asking_allows(self->entry);
    /* The row of the mode comes first. */
    if (!self->found &&
        (by_mode || (list && g_strv_contains((const char *const *)list, self->entry))))
        self->found = file ? file : config_origin_name(origin);
}

/* What stands behind "allow " or "deny ". */
static const char *rule_of(const struct gate_line *line)
{
    return strchr(line->rule, ' ') + 1;
}

static gboolean line_denies(const struct gate_line *line)
{
    return g_str_has_prefix(line->rule, "deny ");
}

static const char *find_origin(const struct gate_line *line, const config *read)
{
    search self = {line_denies(line) ? "network.deny" : "network.allow",
                   line->group ? line->group : rule_of(line), NULL};
    if (line->source != GATE_FROM_CONFIG)
        return origins[line->source];
    if (read)
        config_each(read, look_for, &self);
    return g_intern_string(self.found ? self.found : FROM_START);
}

net_view *net_view_new(const char *text, const config *read, gboolean running)
{
    net_view *self = g_new0(net_view, 1);
    self->lines = gate_list_parse(text);
    self->from = g_new0(const char *, self->lines->len + 1);
    self->running = running;
    for (guint i = 0; i < self->lines->len; i++)
        self->from[i] = find_origin(self->lines->pdata[i], read);
    /* Broken rules allow nothing, and the gate does not start with them. */
    if (network_rules_parse(text, strlen(text), &self->rules) < 0)
        log_warning("the rules are broken, so nothing is allowed");
    return self;
}

void net_view_free(net_view *self)
{
    if (!self)
        return;
    network_rules_clear(&self->rules);
    g_ptr_array_unref(self->lines);
    g_free(self->from);
    g_free(self);
}

/* What becomes of names that no rule has, where the list alone does not say it. */
static void note_unlisted(enum network_unlisted unlisted, gboolean has_rules)
{
    if (unlisted == UNLISTED_AUDITED)
        log_note("network.audit is true: the box reaches every name that no rule denies");
    else if (!has_rules)
        log_note(unlisted == UNLISTED_ASKED ? "there is no rule: you are asked about each name"
                                            : "there is no rule, so the box reaches nothing");
}

void net_show_rules(const net_view *self, gboolean json)
{
    static const char *const headings[] = {"RULE", "GROUP", "FROM", NULL};
    g_autoptr(table) out = table_new(headings);
    json_t *rules = json_array();
    for (guint i = 0; i < self->lines->len; i++) {
        const struct gate_line *line = self->lines->pdata[i];
        table_add(out, line->rule);
        table_add(out, line->group ? line->group : "-");
        table_add(out, self->from[i]);
        json_array_append_new(rules,
                              json_pack("{s:s, s:b, s:o, s:o}", "rule", rule_of(line), "denies",
                                        line_denies(line), "group", json_text(line->group), "from",
                                        json_text(self->from[i])));
    }
    if (json)
        json_print(json_pack("{s:b, s:b, s:O}", "running", self->running, "audited",
                             self->rules.unlisted == UNLISTED_AUDITED, "rules", rules));
    else if (!table_is_empty(out))
        table_print(out);
    if (!json)
        note_unlisted(self->rules.unlisted, self->lines->len > 0);
    json_decref(rules);
}

void net_show_answers(const GPtrArray *answers, gboolean json)
{
    static const char *const headings[] = {"RULE", "ANSWERED", "UNTIL", NULL};
    g_autoptr(table) out = table_new(headings);
    json_t *list = json_array();
    for (guint i = 0; i < answers->len; i++) {
        const gate_answer *each = answers->pdata[i];
        g_autofree char *time = units_format_time(each->time);
        table_add(out, each->line);
        table_add(out, time);
        table_add(out, each->until_stop ? "the box stops" : "you forget it");
        json_array_append_new(list,
                              json_pack("{s:s, s:b, s:o, s:b}", "rule", strchr(each->line, ' ') + 1,
                                        "denies", g_str_has_prefix(each->line, "deny "), "answered",
                                        json_time(each->time), "until_stop", each->until_stop));
    }
    if (json)
        json_print(json_incref(list));
    else if (table_is_empty(out))
        log_note("no answer to a question holds");
    else
        table_print(out);
    json_decref(list);
}

/* Why. */

typedef struct {
    char name[HOST_NAME_SIZE]; /* "": by ADDRESS */
    struct in6_addr address;
    guint16 port;
    struct request_rule request; /* or none */
} destination;

static gboolean parse_name(const char *text, destination *to)
{
    struct network_prefix address;
    const char *wrong;
    if (strcmp(text, "host") == 0)
        g_strlcpy(to->name, HOST_IN_BOX, sizeof to->name);
    else if (network_prefix_parse(text, &address, &wrong) == 0 && address.bits == 128)
        to->address = address.address;
    else
        return host_name_normalise(text, strlen(text), to->name) == 0;
    return TRUE;
}

/* "[METHOD ]NAME[:PORT][/PATH]" with a method or path. */
static gboolean parse_request(const char *text, destination *to)
{
    struct network_rule rule;
    const char *wrong;
    if (network_rule_parse(text, false, &rule, &wrong) < 0 || !request_rule_is_set(&rule.request))
        return FALSE;
    *to = (destination){.port = rule.port, .request = rule.request};
    g_strlcpy(to->name, rule.name, sizeof to->name);
    if (!to->request.method[0])
        g_strlcpy(to->request.method, "GET", sizeof to->request.method);
    if (!to->request.path[0])
        g_strlcpy(to->request.path, "/", sizeof to->request.path);
    return TRUE;
}

static gboolean parse_destination(const char *text, destination *to, GError **error)
{
    if (parse_request(text, to))
        return TRUE;
    const char *bracket = strchr(text, ']'), *colon = strrchr(bracket ? bracket : text, ':');
    g_autofree char *name = g_strndup(text, colon ? (gsize)(colon - text) : strlen(text));
    guint64 port = HTTPS_PORT;
    g_autofree char *safe = text_safe_max(text, -1, 120);
    *to = (destination){0};
    if ((!colon || g_ascii_string_to_unsigned(colon + 1, 10, 1, G_MAXUINT16, &port, NULL)) &&
        parse_name(name, to)) {
        to->port = (guint16)port;
        return TRUE;
    }
    g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                "'%s' must be a full name such as api.example.com, an address such as 10.0.0.5 or "
                "[2001:db8::5], or host, and perhaps :PORT",
                safe);
    return FALSE;
}

static const struct network_rule *decide(const net_view *self, const destination *to)
{
    const struct network_rule *rule =
        to->name[0] ? network_rules_decide(&self->rules, to->name, to->port)
                    : network_rules_decide_address(&self->rules, &to->address, to->port);
    return rule && !rule->denies && to->request.method[0]
               ? network_requests_find(&self->rules, to->name, to->port, to->request.method,
                                       to->request.path)
               : rule;
}

static enum network_unlisted unlisted_of(const net_view *self, const destination *to)
{
    return to->name[0] ? network_rules_unlisted(&self->rules, to->name, to->port)
                       : UNLISTED_REFUSED;
}

/* As a rule has it. */
static char *target_text(const destination *to)
{
    char address[NETWORK_ADDRESS_SIZE];
    network_address_text(&to->address, address);
    return g_strdup_printf("%s%s%s:%u%s", to->request.method, to->request.method[0] ? " " : "",
                           !to->name[0]                         ? address
                           : strcmp(to->name, HOST_IN_BOX) == 0 ? "host"
                                                                : to->name,
                           to->port, to->request.path);
}

/* Not every address may be in a rule. */
static char *no_rule_text(const char *asked, enum network_unlisted unlisted)
{
    struct network_rule rule;
    const char *wrong, *quote = strpbrk(asked, " *") ? "\"" : "";
    g_autofree char *quoted = g_strdup_printf("%s%s%s", quote, asked, quote);
    const char *target = quoted;
    if (unlisted == UNLISTED_AUDITED)
        return g_strdup_printf(
            "%s is let through and logged: no rule decides, and network.audit is true\n'box net "
            "allow %s' and 'box net deny %s' would decide, also without audit",
            target, target, target);
    if (unlisted == UNLISTED_ASKED)
        return g_strdup_printf(
            "%s is asked about: no rule decides\n'box net allow %s' and 'box net "
            "deny %s' would answer for good",
            target, target, target);
    if (network_rule_parse(asked, false, &rule, &wrong) < 0)
        return g_strdup_printf("%s is refused: no rule can allow it, as that %s", target, wrong);
    return g_strdup_printf("%s is refused: no rule allows it\n'box net allow %s' would", asked,
                           target);
}

static char *why_text(const char *target, const char *host, const struct gate_line *line,
                      const char *from, enum network_unlisted unlisted)
{
    g_autofree char *safe = line ? text_safe(from, -1) : NULL;
    if (!line)
        return no_rule_text(target, unlisted);
    gboolean denies = line_denies(line);
    const char *entry = line->group ? line->group : rule_of(line);
    g_autofree char *through =
        line->group ? g_strdup_printf("'%s', a rule of '%s'", line->rule, line->group)
                    : g_strdup_printf("'%s'", line->rule);
    if (line->source == GATE_FROM_ANSWER)
        return g_strdup_printf("%s is %s by %s, an answer of yours until the box stops\n'box net "
                               "forget %s' would take it back",
                               target, denies ? "refused" : "allowed", through, entry);
    if (line->source == GATE_FROM_NET)
        return g_strdup_printf("%s is %s by %s%s'box net'\n'box net forget %s' would take it back",
                               target, denies ? "refused" : "allowed", through,
                               line->group ? ", which was given to " : ", a rule of ", entry);
    return denies ? g_strdup_printf("%s is refused by %s (%s)\na rule that denies wins: it must "
                                    "be removed there",
                                    target, through, safe)
                  : g_strdup_printf("%s is allowed by %s (%s)\n'box net deny %s' would refuse it",
                                    target, through, safe, host);
}

gboolean net_show_why(const net_view *self, const char *host, gboolean json, gboolean *is_allowed,
                      GError **error)
{
    destination to;
    if (!parse_destination(host, &to, error))
        return FALSE;
    const struct network_rule *rule = decide(self, &to);
    gsize index = rule ? (gsize)(rule - self->rules.rules) : 0;
    const struct gate_line *line = rule ? self->lines->pdata[index] : NULL;
    const char *from = rule ? self->from[index] : NULL;
    g_autofree char *target = target_text(&to);
    enum network_unlisted unlisted = unlisted_of(self, &to);
    *is_allowed = unlisted == UNLISTED_AUDITED || (rule && !rule->denies);
    if (json) {
        json_print(json_pack("{s:o, s:b, s:b, s:b, s:o, s:o, s:o}", "target", json_text(target),
                             "allowed", *is_allowed, "asked", unlisted == UNLISTED_ASKED, "audited",
                             unlisted == UNLISTED_AUDITED, "rule",
                             json_text(line ? line->rule : NULL), "group",
                             json_text(line ? line->group : NULL), "from", json_text(from)));
        return TRUE;
    }
    destination host_alone = to;
    host_alone.request = (struct request_rule){0};
    g_autofree char *host_text = target_text(&host_alone);
    g_autofree char *text = why_text(target, host_text, line, from, unlisted);
    printf("%s\n", text);
    if (!to.request.method[0] && rule && request_rule_is_set(&rule->request))
        printf("only requests that a rule has pass: 'box net why \"GET %s/PATH\"' says which\n",
               host_text);
    return TRUE;
}

/* A list of no box. */

/* HOSTS, parsed; NULL with ERROR. */
static destination *parse_all(char *const *hosts, GError **error)
{
    g_autofree destination *all = g_new0(destination, g_strv_length((char **)hosts) + 1);
    for (guint i = 0; hosts[i]; i++)
        if (!parse_destination(hosts[i], &all[i], error))
            return NULL;
    return g_steal_pointer(&all);
}

static json_t *check_to_json(const char *target, const struct gate_line *line, gboolean is_allowed,
                             enum network_unlisted unlisted)
{
    return json_pack("{s:o, s:b, s:b, s:b, s:o, s:o}", "target", json_text(target), "allowed",
                     is_allowed, "asked", unlisted == UNLISTED_ASKED, "audited",
                     unlisted == UNLISTED_AUDITED, "rule", json_text(line ? line->rule : NULL),
                     "group", json_text(line ? line->group : NULL));
}

static const char *decision_word(enum network_unlisted unlisted, gboolean is_allowed)
{
    return unlisted == UNLISTED_AUDITED ? "audited"
           : unlisted == UNLISTED_ASKED ? "asked"
           : is_allowed                 ? "allowed"
                                        : "refused";
}

gboolean net_show_check(const net_view *self, char *const *hosts, gboolean json,
                        gboolean *are_allowed, GError **error)
{
    static const char *const headings[] = {"TARGET", "DECISION", "RULE", "GROUP", NULL};
    g_autoptr(table) out = table_new(headings);
    g_autofree destination *all = parse_all(hosts, error);
    if (!all)
        return FALSE;
    json_t *list = json_array();
    *are_allowed = TRUE;
    for (guint i = 0; hosts[i]; i++) {
        const struct network_rule *rule = decide(self, &all[i]);
        const struct gate_line *line = rule ? self->lines->pdata[rule - self->rules.rules] : NULL;
        g_autofree char *target = target_text(&all[i]);
        enum network_unlisted unlisted = unlisted_of(self, &all[i]);
        gboolean is_allowed = unlisted == UNLISTED_AUDITED || (rule && !rule->denies);
        *are_allowed &= is_allowed;
        table_add(out, target);
        table_add(out, decision_word(unlisted, is_allowed));
        table_add(out, line ? line->rule : "-");
        table_add(out, line && line->group ? line->group : "-");
        json_array_append_new(list, check_to_json(target, line, is_allowed, unlisted));
    }
    if (json)
        json_print(json_incref(list));
    else
        table_print(out);
    json_decref(list);
    return TRUE;
}
