/* box keys list, show. */
#include <stdio.h>

#include "cli/commands/keys_table.h"
#include "common/units.h"
#include "console/output.h"
#include "ssh-agent/keys/keys.h"
#include "ssh-agent/store/key_error.h"

char *keys_public_line(const key_store_entry *entry)
{
    g_autofree char *text = g_base64_encode(entry->key->blob.data, entry->key->blob.length);
    return g_strdup_printf("%s %s %s", ssh_key_type_name(entry->key->type, false), text,
                           entry->name);
}

static json_t *key_to_json(const key_store_entry *entry)
{
    g_autofree char *line = keys_public_line(entry);
    char fingerprint[SSH_FINGERPRINT_SIZE];
    ssh_key_fingerprint(entry->key, fingerprint);
    return json_pack("{s:s, s:s, s:i, s:s, s:s, s:o}", "name", entry->name, "type",
                     ssh_key_type_short(entry->key->type), "bits", (int)ssh_key_bits(entry->key),
                     "fingerprint", fingerprint, "public_key", line, "created",
                     json_time(entry->created));
}

/* With --verify the store is unlocked, which authenticates what is shown. */
static key_store *open_to_show(GError **error)
{
    return keys_given.verify ? user_store_unlock(error) : user_store_open(error);
}

static void print_table(const key_store *keys)
{
    static const char *const headings[] = {"NAME", "TYPE", "BITS", "FINGERPRINT", NULL};
    g_autoptr(table) out = table_new(headings);
    for (guint i = 0; keys && i < key_store_count(keys); i++) {
        key_store_entry entry = key_store_entry_at(keys, i);
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
    g_autoptr(key_store) keys = open_to_show(&why);
    /* Without a store the list is empty. */
    if (!keys && !g_error_matches(why, KEY_ERROR, KEY_ERROR_MISSING)) {
        g_propagate_error(error, g_steal_pointer(&why));
        return FALSE;
    }
    if (!keys_given.json) {
        print_table(keys);
        return TRUE;
    }
    json_t *rows = json_array();
    for (guint i = 0; keys && i < key_store_count(keys); i++) {
        key_store_entry entry = key_store_entry_at(keys, i);
        json_array_append_new(rows, key_to_json(&entry));
    }
    json_print(rows);
    return TRUE;
}

static void print_entry(const key_store_entry *entry)
{
    g_autofree char *line = keys_public_line(entry);
    g_autofree char *when = units_format_time(entry->created);
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
    g_autoptr(key_store) keys = open_to_show(error);
    int index = keys ? key_store_find(keys, operands[0], error) : -1;
    if (index < 0)
        return FALSE;
    key_store_entry entry = key_store_entry_at(keys, (guint)index);
    if (keys_given.json) {
        json_print(key_to_json(&entry));
    } else if (keys_given.public) {
        g_autofree char *line = keys_public_line(&entry);
        puts(line);
    } else {
        print_entry(&entry);
    }
    return TRUE;
}
