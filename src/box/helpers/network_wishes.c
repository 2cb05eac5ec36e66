#include "box/helpers/network_wishes.h"

#include <string.h>

#include "common/text.h"

/* A group is suggested for so many rules. */
#define GROUP_LEAST 2

typedef struct {
    struct network_rule rule;
    guint64 count;
    const char *group; /* a group that has it */
    gboolean is_covered;
} wish;

struct network_wishes {
    GHashTable *by_rule; /* text of the rule → wish */
    guint64 lost;
};

network_wishes *network_wishes_new(void)
{
    network_wishes *self = g_new0(network_wishes, 1);
    self->by_rule = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    return self;
}

void network_wishes_free(network_wishes *self)
{
    if (!self)
        return;
    g_hash_table_unref(self->by_rule);
    g_free(self);
}

guint64 network_wishes_lost(const network_wishes *self)
{
    return self->lost;
}

/* The log. */

/* Nothing of what a rule denies, or what no rule can let through. */
static gboolean is_wish(const struct network_record *record)
{
    return record->decision == NETWORK_AUDITED ||
           (record->decision == NETWORK_REFUSED && !record->rule[0] &&
            strcmp(record->reason, NETWORK_NO_RULE) == 0);
}

void network_wishes_add(network_wishes *self, const struct network_record *record)
{
    char target[NETWORK_RULE_SIZE], text[NETWORK_RULE_SIZE];
    struct network_rule rule;
    const char *wrong;
    if (record->decision != NETWORK_ALLOWED && !record->name[0])
        self->lost += record->count;
    if (!is_wish(record) || !record->name[0])
        return;
    g_snprintf(target, sizeof target, record->port ? "%s:%u" : "%s", record->name, record->port);
    if (network_rule_parse(target, false, &rule, &wrong) < 0 || rule.kind != RULE_NAME ||
        strcmp(rule.name, HOST_IN_BOX) == 0)
        return;
    network_rule_text(&rule, text);
    wish *found = g_hash_table_lookup(self->by_rule, text);
    if (!found && g_hash_table_size(self->by_rule) == NETWORK_WISHES_MAX) {
        self->lost += record->count;
        return;
    }
    if (!found) {
        found = g_new0(wish, 1);
        found->rule = rule;
        g_hash_table_insert(self->by_rule, g_strdup(text), found);
    }
    found->count += record->count;
}

/* Groups. */

typedef struct {
    const char *name;
    GPtrArray *has; /* of wish: what it would allow */
    guint more;
} cover;

static void cover_free(gpointer data)
{
    cover *self = data;
    g_ptr_array_unref(self->has);
    g_free(self);
}

/* What RULE allows of WISHES goes into SELF, once. */
static void add_allowed(cover *self, struct network_rule *rule, const GPtrArray *wishes)
{
    const struct network_rules one = {.rules = rule, .count = 1};
    gboolean is_of_use = FALSE;
    for (guint i = 0; i < wishes->len; i++) {
        wish *each = wishes->pdata[i];
        if (!network_rules_name(&one, each->rule.name, each->rule.port))
            continue;
        is_of_use = TRUE;
        if (!g_ptr_array_find(self->has, each, NULL))
            g_ptr_array_add(self->has, each);
    }
    self->more += !is_of_use || rule->kind != RULE_NAME;
}

static cover *cover_new(const network_wish_group *group, const GPtrArray *wishes)
{
    cover *self = g_new0(cover, 1);
    self->name = group->name;
    self->has = g_ptr_array_new();
    for (char **text = group->rules; text && *text; text++) {
        struct network_rule rule;
        const char *wrong;
        if (network_rule_parse(*text, false, &rule, &wrong) == 0)
            add_allowed(self, &rule, wishes);
        else
            self->more++; /* "@apt", which another group may have */
    }
    return self;
}

static guint count_open(const cover *self)
{
    guint count = 0;
    for (guint i = 0; i < self->has->len; i++)
        count += !((wish *)self->has->pdata[i])->is_covered;
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
        wish *each = self->has->pdata[i];
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

static network_suggestion *suggest_rule(const wish *self)
{
    char text[NETWORK_RULE_SIZE];
    network_rule_text(&self->rule, text);
    network_suggestion *made = suggestion_new(text);
    made->count = self->count;
    made->group = self->group;
    return made;
}

static GPtrArray *undecided(const network_wishes *self, const struct network_rules *now)
{
    GPtrArray *out = g_ptr_array_new();
    GHashTableIter each;
    gpointer value;
    g_hash_table_iter_init(&each, self->by_rule);
    while (g_hash_table_iter_next(&each, NULL, &value)) {
        const wish *one = value;
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

GPtrArray *network_wishes_suggest(network_wishes *self, const struct network_rules *now,
                                  const GPtrArray *groups)
{
    GPtrArray *out = g_ptr_array_new_with_free_func(suggestion_free);
    g_autoptr(GPtrArray) wishes = undecided(self, now);
    g_autoptr(GPtrArray) covers = g_ptr_array_new_with_free_func(cover_free);
    for (guint i = 0; i < groups->len; i++)
        g_ptr_array_add(covers, cover_new(groups->pdata[i], wishes));
    for (cover *best; (best = find_best(covers));)
        g_ptr_array_add(out, suggest_group(best));
    for (guint i = 0; i < covers->len; i++) {
        const cover *group = covers->pdata[i];
        for (guint j = 0; j < group->has->len; j++) {
            wish *each = group->has->pdata[j];
            each->group = each->group ? each->group : group->name;
        }
    }
    for (guint i = 0; i < wishes->len; i++)
        if (!((const wish *)wishes->pdata[i])->is_covered)
            g_ptr_array_add(out, suggest_rule(wishes->pdata[i]));
    g_ptr_array_sort(out, compare_entries);
    return out;
}
