/*
 * What one settings opens beyond another, in words: trust_openings and trust_widens.
 *
 * Each value falls apart into entries (a list's elements, a map's pairs, a mount, a port). An entry
 * of the wanted settings is an opening when the other has none of the same identity and at least
 * the same rank.
 */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "common/text.h"
#include "config/trust.h"
#include "config/value.h"
#include "config/words.h"

typedef struct {
    char *id; /* compared as a whole */
    int rank;
    char *words; /* "write access to …" */
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

static void add_strings(GPtrArray *to, const schema_key *row, char *const *list)
{
    for (; list && *list; list++)
        add_entry(to, g_strdup(*list), 0, words_for(row->says, *list));
}

static int mode_rank(settings_mode mode)
{
    const schema_choice *choice = schema_modes;
    while (choice->name && choice->value != (int)mode)
        choice++;
    return choice->rank;
}

static void add_mounts(GPtrArray *to, const GPtrArray *list)
{
    for (guint i = 0; list && i < list->len; i++) {
        const settings_mount *mount = g_ptr_array_index(list, i);
        /* The length keeps "a" + "bc" and "ab" + "c" apart. */
        char *id = g_strdup_printf("%zu:%s%s", strlen(mount->source), mount->source, mount->target);
        add_entry(to, id, mode_rank(mount->mode), words_for_mount(mount));
    }
}

static void add_ports(GPtrArray *to, const GPtrArray *list)
{
    for (guint i = 0; list && i < list->len; i++) {
        const port_mapping *port = g_ptr_array_index(list, i);
        char *id = g_strdup_printf("%s %u %u %d", port->host_ip, port->host_port, port->box_port,
                                   port->udp);
        add_entry(to, id, 0, words_for_port(port));
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
        add_entry(to, id, 0, words_for(row->says, pair));
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

static gboolean covered(const GPtrArray *by, const entry *what)
{
    for (guint i = 0; i < by->len; i++) {
        const entry *other = g_ptr_array_index(by, i);
        if (g_str_equal(other->id, what->id) && other->rank >= what->rank)
            return TRUE;
    }
    return FALSE;
}

/* Adds the words of every entry of ROW that WANTED has and FROM has not. */
static void open_entries(const schema_key *row, const settings *from, const settings *wanted,
                         GPtrArray *out)
{
    g_autoptr(GPtrArray) before = entries_of(row, from);
    g_autoptr(GPtrArray) after = entries_of(row, wanted);
    for (guint i = 0; i < after->len; i++) {
        entry *what = g_ptr_array_index(after, i);
        if (!covered(before, what))
            g_ptr_array_add(out, g_steal_pointer(&what->words));
    }
}

static double limit_of(const schema_key *row, const settings *self)
{
    const void *field = schema_field_const(row, self);
    double value = row->kind == SCHEMA_DOUBLE ? *(const double *)field : *(const gint64 *)field;
    return value == 0 ? INFINITY : value;
}

static const schema_choice *choice_of(const schema_key *row, const settings *self)
{
    const schema_choice *choice = row->choices;
    while (choice->name && choice->value != *(const int *)schema_field_const(row, self))
        choice++;
    return choice;
}

static void open_differs(const schema_key *row, const settings *from, const settings *wanted,
                         GPtrArray *out)
{
    const char *before = *(char *const *)schema_field_const(row, from);
    const char *after = *(char *const *)schema_field_const(row, wanted);
    if (g_strcmp0(before, after) == 0)
        return;
    if (after)
        g_ptr_array_add(out, words_for(row->says, after));
    else if (row->unset)
        g_ptr_array_add(out, g_strdup(row->unset));
}

static gboolean bool_of(const schema_key *row, const settings *self)
{
    return *(const gboolean *)schema_field_const(row, self);
}

/* Two that open something, and as much, open different things: neither stands for the other. */
static gboolean chooses_more(const schema_choice *from, const schema_choice *wanted)
{
    return wanted->rank > from->rank ||
           (wanted->rank == from->rank && wanted->rank > 0 && wanted->value != from->value);
}

static void open_row(const schema_key *row, const settings *from, const settings *wanted,
                     GPtrArray *out)
{
    switch (row->widen) {
    case WIDEN_NEVER:
    case N_WIDENS:
        break;
    case WIDEN_DIFFERS:
        open_differs(row, from, wanted, out);
        break;
    case WIDEN_LARGER:
        if (limit_of(row, wanted) > limit_of(row, from))
            g_ptr_array_add(out, words_for_limit(row, wanted));
        break;
    case WIDEN_CHOICE:
        if (chooses_more(choice_of(row, from), choice_of(row, wanted)))
            g_ptr_array_add(out, g_strdup(choice_of(row, wanted)->says));
        break;
    case WIDEN_TRUE:
    case WIDEN_FALSE:
        if (bool_of(row, wanted) == (row->widen == WIDEN_TRUE) &&
            bool_of(row, wanted) != bool_of(row, from))
            g_ptr_array_add(out, g_strdup(row->says));
        break;
    case WIDEN_MORE:
        open_entries(row, from, wanted, out);
        break;
    case WIDEN_FEWER:
        open_entries(row, wanted, from, out);
        break;
    }
}

GPtrArray *trust_openings(const settings *from, const settings *wanted)
{
    GPtrArray *out = g_ptr_array_new_with_free_func(g_free);
    for (gsize i = 0; i < schema_count; i++)
        open_row(&schema_keys[i], from, wanted, out);
    return out;
}

gboolean trust_widens(const settings *approved, const settings *now)
{
    g_autoptr(GPtrArray) openings = trust_openings(approved, now);
    return openings->len > 0;
}
