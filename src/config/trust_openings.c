/*
 * What new settings allow a box beyond old ones, in words: trust_openings() and trust_widens().
 *
 * Each value is split into entries (elements of a list, pairs of a map, mounts, ports). An entry of
 * the new settings is an opening when the old ones have no entry with the same identity and at
 * least the same rank.
 */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "config/check.h"
#include "config/network_groups.h"
#include "config/trust.h"
#include "config/value.h"
#include "proto/network_requests.h"

typedef struct {
    char *id; /* compared as a whole */
    int rank;
    char *words; /* "write access to …"; NULL: not shown, as it is a part of another entry */
} entry;

static void entry_free(gpointer data)
{
    entry *self = data;
    g_free(self->id);
    g_free(self->words);
    g_free(self);
}

static void add_entry(GPtrArray *to, char *id, int rank, char *words)
{
    entry *self = g_new0(entry, 1);
    *self = (entry){id, rank, words};
    g_ptr_array_add(to, self);
}

/* A group, and each of its rules, which it covers: to ask for one of them alone is no opening. */
static void add_group(GPtrArray *to, const schema_key *row, const char *group, gboolean denies)
{
    g_auto(GStrv) rules = network_group_read(group, denies, NULL);
    add_entry(to, g_strdup(group), 0, trust_words_for_group(row->says, group, rules));
    for (char **rule = rules; rule && *rule; rule++)
        add_entry(to, g_strdup(*rule), 0, NULL);
}

static void add_strings(GPtrArray *to, const schema_key *row, char *const *list)
{
    gboolean denies = row->check == check_deny, is_rule = denies || row->check == check_allow;
    for (; list && *list; list++) {
        if (is_rule && network_group_is(*list))
            add_group(to, row, *list, denies);
        else if (is_rule)
            add_entry(to, g_strdup(*list), 0, trust_words_for_rule(row->says, *list, denies));
        else
            add_entry(to, g_strdup(*list), 0, trust_words_for(row->says, *list));
    }
}

static int mode_rank(enum mount_mode mode)
{
    return choice_by_value(mount_mode_choices, (int)mode)->rank;
}

static void add_mounts(GPtrArray *to, const GPtrArray *list)
{
    for (guint i = 0; list && i < list->len; i++) {
        const settings_mount *mount = g_ptr_array_index(list, i);
        /* The length keeps "a" + "bc" and "ab" + "c" apart. */
        char *id = g_strdup_printf("%zu:%s%s", strlen(mount->source), mount->source, mount->target);
        add_entry(to, id, mode_rank(mount->mode), trust_words_for_mount(mount));
    }
}

static void add_ports(GPtrArray *to, const GPtrArray *list)
{
    for (guint i = 0; list && i < list->len; i++) {
        const port_mapping *port = g_ptr_array_index(list, i);
        char *id = g_strdup_printf("%s %u %u %d", port->host_ip, port->host_port, port->box_port,
                                   port->udp);
        add_entry(to, id, 0, trust_words_for_port(port));
    }
}

static void add_raw(GPtrArray *to, const schema_key *row, const char *json)
{
    json_t *root = json_loads(json ? json : "{}", 0, NULL), *value;
    const char *key;
    json_object_foreach (root, key, value) {
        char *dump = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
        char *id = g_strdup_printf("%zu:%s=%s", strlen(key), key, dump);
        g_autofree char *pair = g_strdup_printf("%s = %s", key, dump);
        add_entry(to, id, 0, trust_words_for_all(row->says, pair));
        free(dump);
    }
    json_decref(root);
}

static GPtrArray *entries_of(const schema_key *row, const settings *self)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(entry_free);
    const void *field = schema_field_const(row, self);

    if (row->kind == SCHEMA_LIST || row->kind == SCHEMA_MAP)
        add_strings(list, row, *(char **const *)field);
    else if (row->kind == SCHEMA_SHARES || row->kind == SCHEMA_MOUNTS)
        add_mounts(list, *(GPtrArray *const *)field);
    else if (row->kind == SCHEMA_PORTS)
        add_ports(list, *(GPtrArray *const *)field);
    else if (row->kind == SCHEMA_RAW)
        add_raw(list, row, *(char *const *)field);
    else
        g_assert_not_reached();
    return list;
}

/* An entry of [network] allow for fewer requests is no opening. */
static gboolean covers_rule(const char *wide, const char *narrow)
{
    struct network_rule a, b;
    const char *wrong;
    return network_rule_parse(wide, false, &a, &wrong) == 0 &&
           network_rule_parse(narrow, false, &b, &wrong) == 0 && network_rule_covers(&a, &b);
}

static gboolean covered(const schema_key *row, const GPtrArray *by, const entry *what)
{
    gboolean is_rule = row->check == check_allow;
    for (guint i = 0; i < by->len; i++) {
        const entry *other = g_ptr_array_index(by, i);
        if ((g_str_equal(other->id, what->id) && other->rank >= what->rank) ||
            (is_rule && covers_rule(other->id, what->id)))
            return TRUE;
    }
    return FALSE;
}

/* Adds the words of every entry of ROW that is in NOW and not in BEFORE. */
static void open_entries(const schema_key *row, const settings *before, const settings *now,
                         GPtrArray *out)
{
    g_autoptr(GPtrArray) old = entries_of(row, before);
    g_autoptr(GPtrArray) new = entries_of(row, now);
    for (guint i = 0; i < new->len; i++) {
        entry *what = g_ptr_array_index(new, i);
        if (what->words && !covered(row, old, what))
            g_ptr_array_add(out, g_steal_pointer(&what->words));
    }
}

/* In an overlay nothing is written to these parts. That mode ro has a lower rank says nothing of
 * them. */
static void open_parts(const schema_key *row, const settings *before, const settings *now,
                       GPtrArray *out)
{
    static const settings nothing = {0};
    gboolean counts = before->project.mode == MODE_OVERLAY && now->project.mode == MODE_RO;
    open_entries(row, counts ? &nothing : before, now, out);
}

static double limit_of(const schema_key *row, const settings *self)
{
    const void *field = schema_field_const(row, self);
    double value = row->kind == SCHEMA_DOUBLE ? *(const double *)field : *(const gint64 *)field;
    return value == 0 ? INFINITY : value;
}

static const struct choice *choice_of(const schema_key *row, const settings *self)
{
    return choice_by_value(row->choices, *(const int *)schema_field_const(row, self));
}

static void open_differs(const schema_key *row, const settings *before, const settings *now,
                         GPtrArray *out)
{
    const char *old = *(char *const *)schema_field_const(row, before);
    const char *new = *(char *const *)schema_field_const(row, now);
    if (g_strcmp0(old, new) == 0)
        return;
    if (new)
        g_ptr_array_add(out, trust_words_for(row->says, new));
    else if (row->unset)
        g_ptr_array_add(out, g_strdup(row->unset));
}

/* What a box runs: a Containerfile takes the place of the image. Owned by SELF, or NULL. */
static const char *image_of(const settings *self)
{
    return self->box.containerfile ? NULL : self->box.image;
}

static void open_image(const schema_key *row, const settings *before, const settings *now,
                       GPtrArray *out)
{
    const char *new = image_of(now);
    if (new &&g_strcmp0(image_of(before), new) != 0)
        g_ptr_array_add(out, trust_words_for_image(row, new));
}

static gboolean bool_of(const schema_key *row, const settings *self)
{
    return *(const gboolean *)schema_field_const(row, self);
}

static gboolean is_filtered(const settings *self)
{
    return self->network.mode == NETWORK_FILTERED || self->network.mode == NETWORK_ASK;
}

/* Names that no rule of [network] allow has, without a question. */
static gboolean reaches_unlisted(const settings *self)
{
    return is_filtered(self) ? self->network.audit : self->network.mode != NETWORK_NONE;
}

static gboolean asks(const settings *self)
{
    return is_filtered(self) && self->network.ask;
}

/* The words of mode "ask", where that is new, say it too. */
static void open_ask(const schema_key *row, const settings *before, const settings *now,
                     GPtrArray *out)
{
    gboolean is_said = now->network.mode == NETWORK_ASK && before->network.mode != NETWORK_ASK;
    if (asks(now) && !asks(before) && !reaches_unlisted(before) && !is_said)
        g_ptr_array_add(out, g_strdup(row->says));
}

/* The key is the user's own, and the same before and now: a project that asks for a filtered
 * network where it had none gets what the key makes of it, and the words of mode alone would hide
 * that. */
static void open_audit(const schema_key *row, const settings *before, const settings *now,
                       GPtrArray *out)
{
    if (is_filtered(now) && reaches_unlisted(now) && !reaches_unlisted(before))
        g_ptr_array_add(out, g_strdup(row->says));
}

/* Two choices of the same rank above 0 allow different things: neither includes the other. */
static gboolean chooses_more(const struct choice *before, const struct choice *now)
{
    return now->rank > before->rank ||
           (now->rank == before->rank && now->rank > 0 && now->value != before->value);
}

static void open_choice(const schema_key *row, const settings *before, const settings *now,
                        gboolean takes_effect, GPtrArray *out)
{
    const struct choice *old = choice_of(row, before), *new = choice_of(row, now);
    if (chooses_more(old, new) || (takes_effect && new->rank > 0))
        g_ptr_array_add(out, g_strdup(new->says));
}

/* The key may be the user's own, for all boxes, and without an X server it does nothing: who lets a
 * project have one gives it the clipboard. */
static gboolean begins_to_share(const settings *before, const settings *now)
{
    return before->desktop.x11 == X11_NONE && now->desktop.x11 == X11_NESTED;
}

static void open_row(const schema_key *row, const settings *before, const settings *now,
                     GPtrArray *out)
{
    switch (row->widen) {
    case WIDEN_NEVER:
    case N_WIDENS:
        break;
    case WIDEN_DIFFERS:
        open_differs(row, before, now, out);
        break;
    case WIDEN_IMAGE:
        open_image(row, before, now, out);
        break;
    case WIDEN_LARGER:
        if (limit_of(row, now) > limit_of(row, before))
            g_ptr_array_add(out, trust_words_for_limit(row, now));
        break;
    case WIDEN_CHOICE:
        open_choice(row, before, now, FALSE, out);
        break;
    case WIDEN_PASTE:
        open_choice(row, before, now, begins_to_share(before, now), out);
        break;
    case WIDEN_ASK:
        open_ask(row, before, now, out);
        break;
    case WIDEN_AUDIT:
        open_audit(row, before, now, out);
        break;
    case WIDEN_TRUE:
    case WIDEN_FALSE:
        if (bool_of(row, now) == (row->widen == WIDEN_TRUE) &&
            bool_of(row, now) != bool_of(row, before))
            g_ptr_array_add(out, g_strdup(row->says));
        break;
    case WIDEN_MORE:
        open_entries(row, before, now, out);
        break;
    case WIDEN_PARTS:
        open_parts(row, before, now, out);
        break;
    case WIDEN_FEWER:
        open_entries(row, now, before, out);
        break;
    }
}

GPtrArray *trust_openings(const settings *before, const settings *now)
{
    GPtrArray *out = g_ptr_array_new_with_free_func(g_free);
    for (gsize i = 0; i < schema_count; i++)
        open_row(&schema_keys[i], before, now, out);
    return out;
}

gboolean trust_widens(const settings *approved, const settings *now)
{
    g_autoptr(GPtrArray) openings = trust_openings(approved, now);
    return openings->len > 0;
}
