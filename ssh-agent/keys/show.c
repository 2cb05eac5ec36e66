#include "ssh-agent/keys/show.h"

#include <stdio.h>

#include "box/json.h"
#include "console/table.h"
#include "ssh-agent/keys/options.h"
#include "ssh-agent/keys/session.h"
#include "ssh-agent/keys/verbs.h"
#include "ssh-agent/store/error.h"

char *show_line(const store_entry *entry)
{
    g_autofree char *text = g_base64_encode(entry->key->blob.data, entry->key->blob.length);
    return g_strdup_printf("%s %s %s", ssh_key_type_name(entry->key->type, false), text,
                           entry->name);
}

json_t *show_json(const store_entry *entry)
{
    g_autofree char *line = show_line(entry);
    char fingerprint[SSH_FINGERPRINT_SIZE];
    ssh_key_fingerprint(entry->key, fingerprint);
    return json_pack("{s:s, s:s, s:i, s:s, s:s, s:I}", "name", entry->name, "type",
                     ssh_key_type_short(entry->key->type), "bits", (int)ssh_key_bits(entry->key),
                     "fingerprint", fingerprint, "public_key", line, "created",
                     (json_int_t)entry->created);
}

/* Verified with the password where the user wants that. */
static store *open_to_show(GError **error)
{
    return keys_given.verify ? session_unlock(error) : session_look(error);
}

static void print_table(const store *keys)
{
    static const char *const headings[] = {"NAME", "TYPE", "BITS", "FINGERPRINT", NULL};
    g_autoptr(table) out = table_new(headings);
    for (guint i = 0; keys && i < store_count(keys); i++) {
        store_entry entry = store_entry_at(keys, i);
        g_autofree char *bits = g_strdup_printf("%u", ssh_key_bits(entry.key));
        char fingerprint[SSH_FINGERPRINT_SIZE];
        ssh_key_fingerprint(entry.key, fingerprint);
        table_add(out, entry.name);
        table_add(out, ssh_key_type_short(entry.key->type));
        table_add(out, bits);
        table_add(out, fingerprint);
    }
    table_print(out);
}

gboolean keys_list(char **operands, GError **error)
{
    g_autoptr(GError) why = NULL;
    g_autoptr(store) keys = open_to_show(&why);
    /* No store has no keys: that is an answer. */
    if (!keys && !g_error_matches(why, KEY_ERROR, KEY_ERROR_MISSING)) {
        g_propagate_error(error, g_steal_pointer(&why));
        return FALSE;
    }
    if (!keys_given.json) {
        print_table(keys);
        return TRUE;
    }
    json_t *rows = json_array();
    for (guint i = 0; keys && i < store_count(keys); i++) {
        store_entry entry = store_entry_at(keys, i);
        json_array_append_new(rows, show_json(&entry));
    }
    json_print(rows);
    return TRUE;
}

static void print_entry(const store_entry *entry)
{
    g_autofree char *line = show_line(entry);
    g_autoptr(GDateTime) made = g_date_time_new_from_unix_local(entry->created);
    g_autofree char *when = made ? g_date_time_format(made, "%Y-%m-%d %H:%M") : g_strdup("?");
    char fingerprint[SSH_FINGERPRINT_SIZE];

    ssh_key_fingerprint(entry->key, fingerprint);
    printf("name:         %s\n"
           "type:         %s, %u bits\n"
           "fingerprint:  %s\n"
           "in store:     since %s\n"
           "public key:   %s\n",
           entry->name, ssh_key_type_short(entry->key->type), ssh_key_bits(entry->key), fingerprint,
           when, line);
}

gboolean keys_show(char **operands, GError **error)
{
    g_autoptr(store) keys = open_to_show(error);
    int index = keys ? store_find(keys, operands[0], error) : -1;
    if (index < 0)
        return FALSE;
    store_entry entry = store_entry_at(keys, (guint)index);
    if (keys_given.json) {
        json_print(show_json(&entry));
    } else if (keys_given.public) {
        g_autofree char *line = show_line(&entry);
        puts(line);
    } else {
        print_entry(&entry);
    }
    return TRUE;
}
