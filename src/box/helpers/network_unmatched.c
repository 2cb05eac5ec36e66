#include "box/helpers/network_unmatched.h"

#include <string.h>

#include "common/text.h"

/* A group is suggested for so many rules. */
#define GROUP_LEAST 2

typedef struct {
    struct network_rule rule;
    guint64 count;
    const char *group; /* a group that has it */
    gboolean is_covered;
} unmatched_name;

struct network_unmatched {
    GHashTable *by_rule; /* text of the rule → unmatched_name */
    guint64 lost;
};

network_unmatched *network_unmatched_new(void)
{
    network_unmatched *self = g_new0(network_unmatched, 1);
    self->by_rule = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    return self;
}

void network_unmatched_free(network_unmatched *self)
{
    if (!self)
        return;
    g_hash_table_unref(self->by_rule);
    g_free(self);
}

guint64 network_unmatched_lost(const network_unmatched *self)
{
    return self->lost;
}

/* The log. */

/* Nothing of what a rule denies, or what no rule can let through. */
static gboolean is_unmatched(const struct network_record *record)
{
    return record->decision == NETWORK_AUDITED ||
           (record->decision == NETWORK_REFUSED && !record->rule[0] &&
            strcmp(record->reason, NETWORK_NO_RULE) == 0);
}

void network_unmatched_add(network_unmatched *self, const struct network_record *record)
{
    char target[NETWORK_RULE_SIZE], text[NETWORK_RULE_SIZE];
    struct network_rule rule;
    const char *wrong;
    if (record->decision != NETWORK_ALLOWED && !record->name[0])
        self->lost += record->count;
    if (!is_unmatched(record) || !record->name[0])
        return;
    g_snprintf(target, sizeof target, record->port ? "%s:%u" : "%s", record->name, record->port);
    if (network_rule_parse(target, false, &rule, &wrong) < 0 || rule.kind != RULE_NAME ||
        strcmp(rule.name, HOST_IN_BOX) == 0)
        return;
    network_rule_text(&rule, text);
    unmatched_name *found = g_hash_table_lookup(self->by_rule, text);
    if (!found && g_hash_table_size(self->by_rule) == NETWORK_UNMATCHED_MAX) {
        self->lost += record->count;
        return;
    }
    if (!found) {
        found = g_new0(unmatched_name, 1);
        found->rule = rule;
        g_hash_table_insert(self->by_rule, g_strdup(text), found);
    }
    found->count += record->count;
}

/* Groups. */

typedef struct {
    const char *name;
    GPtrArray *has; /* of unmatched_name: what it would allow */
    guint more;
} cover;

static void cover_free(gpointer data)
{
    cover *self = data;
    g_ptr_array_unref(self->has);
    g_free(self);
}

/* What RULE allows of UNMATCHED goes into SELF, once. */
static void add_allowed(cover *self, struct network_rule *rule, const GPtrArray *unmatched)
{
    const struct network_rules one = {.rules = rule, .count = 1};
    gboolean is_of_use = FALSE;
    for (guint i = 0; i < unmatched->len; i++) {
        unmatched_name *each = unmatched->pdata[i];
        if (!network_rules_name(&one, each->rule.name, each->rule.port))
            continue;
        is_of_use = TRUE;
        if (!g_ptr_array_find(self->has, each, NULL))
            g_ptr_array_add(self->has, each);
    }
    self->more += !is_of_use || rule->kind != RULE_NAME;
}

static cover *cover_new(const network_rule_group *group, const GPtrArray *unmatched)
{
    cover *self = g_new0(cover, 1);
    self->name = group->name;
    self->has = g_ptr_array_new();
    for (char **text = group->rules; text && *text; text++) {
        struct network_rule rule;
        const char *wrong;
        if (network_rule_parse(*text, false, &rule, &wrong) == 0)
            add_allowed(self, &rule, unmatched);
        else
            self->more++; /* "@apt", which another group may have */
    }
    return self;
}

static guint count_open(const cover *self)
{
    guint count = 0;
    for (guint i = 0; i < self->has->len; i++)
        count += !((unmatched_name *)self->has->pdata[i])->is_covered;
    return count;
}

/* The next group to suggest, or NULL. */
static cover *find_best(const GPtrArray *covers)
{
    cover *best = NULL;
    guint best_count = 0;
    for (guint i = 0; i < covers->len; i++) {
        cover *each = covers->pdata[i];
        guint count = count_open(each);
        if (count >= GROUP_LEAST && (!best || each->more < best->more ||
                                     (each->more == best->more && count > best_count))) {
            best = each;
            best_count = count;
        }
    }
    return best;
}

/* Suggestions. */

static void suggestion_free(gpointer data)
{
    network_suggestion *self = data;
    g_free(self->entry);
    g_strfreev(self->covers);
    g_free(self);
}

static network_suggestion *suggestion_new(const char *entry)
{
    network_suggestion *self = g_new0(network_suggestion, 1);
    self->entry = g_strdup(entry);
    return self;
}

static network_suggestion *suggest_group(const cover *self)
{
    network_suggestion *made = suggestion_new(self->name);
    g_autoptr(GPtrArray) rules = g_ptr_array_new();
    made->more = self->more;
    for (guint i = 0; i < self->has->len; i++) {
        unmatched_name *each = self->has->pdata[i];
        char text[NETWORK_RULE_SIZE];
        if (each->is_covered)
            continue;
        each->is_covered = TRUE;
        made->count += each->count;
        network_rule_text(&each->rule, text);
        g_ptr_array_add(rules, g_strdup(text));
    }
    g_ptr_array_sort(rules, text_compare);
    g_ptr_array_add(rules, NULL);
    made->covers = (char **)g_ptr_array_free(g_steal_pointer(&rules), FALSE);
    return made;
}

static network_suggestion *suggest_rule(const unmatched_name *self)
{
    char text[NETWORK_RULE_SIZE];
    network_rule_text(&self->rule, text);
    network_suggestion *made = suggestion_new(text);
    made->count = self->count;
    made->group = self->group;
    return made;
}

static GPtrArray *undecided(const network_unmatched *self, const struct network_rules *now)
{
    GPtrArray *out = g_ptr_array_new();
    GHashTableIter each;
    gpointer value;
    g_hash_table_iter_init(&each, self->by_rule);
    while (g_hash_table_iter_next(&each, NULL, &value)) {
        const unmatched_name *one = value;
        if (!now || !network_rules_decide(now, one->rule.name, one->rule.port))
            g_ptr_array_add(out, value);
    }
    return out;
}

static gint compare_entries(gconstpointer a, gconstpointer b)
{
    const network_suggestion *const *first = a, *const *second = b;
    return strcmp((*first)->entry, (*second)->entry);
}

GPtrArray *network_unmatched_suggest(network_unmatched *self, const struct network_rules *now,
                                     const GPtrArray *groups)
{
    GPtrArray *out = g_ptr_array_new_with_free_func(suggestion_free);
    g_autoptr(GPtrArray) unmatched = undecided(self, now);
    g_autoptr(GPtrArray) covers = g_ptr_array_new_with_free_func(cover_free);
    for (guint i = 0; i < groups->len; i++)
        g_ptr_array_add(covers, cover_new(groups->pdata[i], unmatched));
    for (cover *best; (best = find_best(covers));)
        g_ptr_array_add(out, suggest_group(best));
    for (guint i = 0; i < covers->len; i++) {
        const cover *group = covers->pdata[i];
        for (guint j = 0; j < group->has->len; j++) {
            unmatched_name *each = group->has->pdata[j];
            each->group = each->group ? each->group : group->name;
        }
    }
    for (guint i = 0; i < unmatched->len; i++)
        if (!((const unmatched_name *)unmatched->pdata[i])->is_covered)
            g_ptr_array_add(out, suggest_rule(unmatched->pdata[i]));
    g_ptr_array_sort(out, compare_entries);
    return out;
}
