#include <jansson.h>
#include <string.h>

#include "common/text.h"
#include "common/units.h"
#include "config/value.h"

void value_print_string(GString *out, const char *text)
{
    g_string_append_c(out, '"');
    for (const char *p = text ? text : ""; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        if (c == '"' || c == '\\')
            g_string_append_printf(out, "\\%c", (char)c);
        else if (c == '\n')
            g_string_append(out, "\\n");
        else if (text_safe_char(c))
            g_string_append_unichar(out, c);
        else
            g_string_append_printf(out, c > 0xFFFF ? "\\U%08X" : "\\u%04X", c);
    }
    g_string_append_c(out, '"');
}

static void print_list(GString *out, char *const *list)
{
    g_string_append_c(out, '[');
    for (char *const *p = list; p && *p; p++) {
        g_string_append(out, p > list ? ", " : "");
        value_print_string(out, *p);
    }
    g_string_append_c(out, ']');
}

static void print_map(GString *out, char *const *map)
{
    g_string_append_c(out, '{');
    for (char *const *p = map; p && *p; p++) {
        g_autofree char *name = g_strndup(*p, strcspn(*p, "="));
        g_string_append(out, p > map ? ", " : " ");
        value_print_string(out, name);
        g_string_append(out, " = ");
        value_print_string(out, *p + strlen(name) + 1);
    }
    g_string_append(out, map && *map ? " }" : "}");
}

static const char *mode_name(enum mount_mode mode)
{
    return choice_by_value(mount_mode_choices, (int)mode)->name;
}

static void print_mounts(GString *out, const GPtrArray *list)
{
    g_string_append_c(out, '[');
    for (guint i = 0; list && i < list->len; i++) {
        const settings_mount *mount = g_ptr_array_index(list, i);
        g_string_append(out, i ? ", { source = " : "{ source = ");
        value_print_string(out, mount->source);
        g_string_append(out, ", target = ");
        value_print_string(out, mount->target);
        g_string_append_printf(out, ", mode = \"%s\" }", mode_name(mount->mode));
    }
    g_string_append_c(out, ']');
}

static void print_shares(GString *out, const GPtrArray *list)
{
    g_string_append_c(out, '[');
    for (guint i = 0; list && i < list->len; i++) {
        const settings_mount *mount = g_ptr_array_index(list, i);
        g_autofree char *text = g_strdup_printf("%s:%s", mount->source, mode_name(mount->mode));
        g_string_append(out, i ? ", " : "");
        value_print_string(out, text);
    }
    g_string_append_c(out, ']');
}

static void print_ports(GString *out, const GPtrArray *list)
{
    g_string_append_c(out, '[');
    for (guint i = 0; list && i < list->len; i++) {
        const port_mapping *port = g_ptr_array_index(list, i);
        g_autofree char *text = port_mapping_text(port);
        g_string_append_printf(out, "%s\"%s\"", i ? ", " : "", text);
    }
    g_string_append_c(out, ']');
}

/* A number without a unit is a number in TOML as well. */
static void print_with_unit(GString *out, char *text)
{
    if (g_ascii_isdigit(text[strlen(text) - 1]))
        g_string_append(out, text);
    else
        g_string_append_printf(out, "\"%s\"", text);
    g_free(text);
}

static void print_json(GString *out, json_t *json)
{
    const char *key;
    json_t *child;
    gsize i;

    switch (json_typeof(json)) {
    case JSON_OBJECT: {
        const char *before = "{ ";
        json_object_foreach (json, key, child) {
            g_string_append(out, before);
            value_print_string(out, key);
            g_string_append(out, " = ");
            print_json(out, child);
            before = ", ";
        }
        g_string_append(out, json_object_size(json) ? " }" : "{}");
        break;
    }
    case JSON_ARRAY:
        g_string_append_c(out, '[');
        json_array_foreach (json, i, child) {
            g_string_append(out, i ? ", " : "");
            print_json(out, child);
        }
        g_string_append_c(out, ']');
        break;
    case JSON_STRING:
        value_print_string(out, json_string_value(json));
        break;
    default: {
        char *text = json_dumps(json, JSON_ENCODE_ANY);
        g_string_append(out, text);
        free(text);
    }
    }
}

static char *print_raw(const char *json)
{
    json_t *root = json_loads(json ? json : "{}", JSON_DECODE_ANY, NULL);
    GString *out = g_string_new(NULL);
    if (root)
        print_json(out, root);
    json_decref(root);
    return g_string_free(out, FALSE);
}

static void print_double(GString *out, double value)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append(out, g_ascii_dtostr(number, sizeof number, value));
}

/* A value of one of the kinds that are a single number, word or text. */
static void print_scalar(GString *out, const schema_key *row, const void *field)
{
    const gint64 *number = field;
    if (row->kind == SCHEMA_STRING)
        value_print_string(out, *(char *const *)field);
    else if (row->kind == SCHEMA_BOOL)
        g_string_append(out, *(const gboolean *)field ? "true" : "false");
    else if (row->kind == SCHEMA_ENUM)
        value_print_string(out, choice_by_value(row->choices, *(const int *)field)->name);
    else if (row->kind == SCHEMA_INT)
        g_string_append_printf(out, "%" G_GINT64_FORMAT, *number);
    else if (row->kind == SCHEMA_DOUBLE)
        print_double(out, *(const double *)field);
    else if (row->kind == SCHEMA_SIZE)
        print_with_unit(out, units_exact_size(*number));
    else if (*number == SETTINGS_NEVER)
        g_string_append(out, "\"never\"");
    else
        print_with_unit(out, units_exact_duration(*number));
}

char *value_print(const schema_key *row, const void *field)
{
    g_autoptr(GString) out = g_string_new(NULL);
    switch (row->kind) {
    case SCHEMA_STRING:
    case SCHEMA_BOOL:
    case SCHEMA_ENUM:
    case SCHEMA_INT:
    case SCHEMA_DOUBLE:
    case SCHEMA_SIZE:
    case SCHEMA_DURATION:
        print_scalar(out, row, field);
        break;
    case SCHEMA_LIST:
        print_list(out, *(char **const *)field);
        break;
    case SCHEMA_MAP:
        print_map(out, *(char **const *)field);
        break;
    case SCHEMA_PORTS:
        print_ports(out, *(GPtrArray *const *)field);
        break;
    case SCHEMA_SHARES:
        print_shares(out, *(GPtrArray *const *)field);
        break;
    case SCHEMA_MOUNTS:
        print_mounts(out, *(GPtrArray *const *)field);
        break;
    case SCHEMA_RAW:
        return print_raw(*(char *const *)field);
    case N_SCHEMA_KINDS:
        break;
    }
    return g_strdup(out->str);
}

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
