#include "common/text.h"
#include "config/schema.h"

const schema_key *schema_find(const char *section, const char *key)
{
    for (gsize i = 0; i < schema_count; i++) {
        if (g_str_equal(schema_keys[i].section, section) && g_strcmp0(schema_keys[i].key, key) == 0)
            return &schema_keys[i];
    }
    return NULL;
}

char *schema_name(const schema_key *row)
{
    return row->key ? g_strdup_printf("%s.%s", row->section, row->key) : g_strdup(row->section);
}

gboolean schema_has_section(const char *section)
{
    for (gsize i = 0; i < schema_count; i++) {
        if (g_str_equal(schema_keys[i].section, section))
            return TRUE;
    }
    return FALSE;
}

const char *schema_nearest_section(const char *word)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (gsize i = 0; i < schema_count; i++)
        g_ptr_array_add(names, (gpointer)schema_keys[i].section);
    g_ptr_array_add(names, NULL);
    return text_nearest(word, (const char *const *)names->pdata);
}

const char *schema_nearest_key(const char *section, const char *word)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (gsize i = 0; i < schema_count; i++) {
        if (g_str_equal(schema_keys[i].section, section) && schema_keys[i].key)
            g_ptr_array_add(names, (gpointer)schema_keys[i].key);
    }
    g_ptr_array_add(names, NULL);
    return text_nearest(word, (const char *const *)names->pdata);
}

char *schema_choice_names(const schema_choice *choices)
{
    g_autoptr(GString) names = g_string_new(NULL);
    for (; choices->name; choices++) {
        if (!choices->missing)
            g_string_append_printf(names, "%s%s", names->len ? ", " : "", choices->name);
    }
    return g_strdup(names->str);
}
