#include "config/value.h"

#include <string.h>

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *list_to_json(char *const *list)
{
    json_t *out = json_array();
    for (char *const *p = list; p && *p; p++)
        json_array_append_new(out, json_string(*p));
    return out;
}

static json_t *map_to_json(char *const *map)
{
    json_t *out = json_object();
    for (char *const *p = map; p && *p; p++) {
        g_autofree char *name = g_strndup(*p, strcspn(*p, "="));
        json_object_set_new(out, name, json_string(*p + strlen(name) + 1));
    }
    return out;
}

/* Shares have no target of their own. */
static json_t *mounts_to_json(const GPtrArray *list, gboolean targets)
{
    json_t *out = json_array();
    for (guint i = 0; list && i < list->len; i++) {
        const settings_mount *mount = g_ptr_array_index(list, i);
        json_t *one = json_pack("{s:s, s:s}", "source", mount->source, "mode",
                                choice_by_value(mount_mode_choices, (int)mount->mode)->name);
        if (targets)
            json_object_set_new(one, "target", text_or_null(mount->target));
        json_array_append_new(out, one);
    }
    return out;
}

static json_t *ports_to_json(const GPtrArray *list)
{
    json_t *out = json_array();
    for (guint i = 0; list && i < list->len; i++) {
        g_autofree char *text = port_mapping_text(g_ptr_array_index(list, i));
        json_array_append_new(out, json_string(text));
    }
    return out;
}

static json_t *raw_to_json(const char *text)
{
    json_t *out = text ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;
    return out ? out : json_object();
}

json_t *value_to_json(const schema_key *row, const void *field)
{
    const gint64 *number = field;
    switch (row->kind) {
    case SCHEMA_STRING:
        return text_or_null(*(char *const *)field);
    case SCHEMA_BOOL:
        return json_boolean(*(const gboolean *)field);
    case SCHEMA_ENUM:
        return json_string(choice_by_value(row->choices, *(const int *)field)->name);
    case SCHEMA_INT:
    case SCHEMA_SIZE:
        return json_integer(*number);
    case SCHEMA_DOUBLE:
        return json_real(*(const double *)field);
    case SCHEMA_DURATION:
        return *number == SETTINGS_NEVER ? json_string("never") : json_integer(*number);
    case SCHEMA_LIST:
        return list_to_json(*(char **const *)field);
    case SCHEMA_MAP:
        return map_to_json(*(char **const *)field);
    case SCHEMA_PORTS:
        return ports_to_json(*(GPtrArray *const *)field);
    case SCHEMA_SHARES:
        return mounts_to_json(*(GPtrArray *const *)field, FALSE);
    case SCHEMA_MOUNTS:
        return mounts_to_json(*(GPtrArray *const *)field, TRUE);
    case SCHEMA_RAW:
        return raw_to_json(*(char *const *)field);
    case N_SCHEMA_KINDS:
        break;
    }
    return json_null();
}
