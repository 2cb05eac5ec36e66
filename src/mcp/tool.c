#include "mcp/tool.h"

#include <limits.h>
#include <string.h>

#include "common/text.h"

static const char *const type_names[] = {
    [FIELD_TEXT] = "string",  [FIELD_WHOLE] = "integer", [FIELD_NUMBER] = "number",
    [FIELD_FLAG] = "boolean", [FIELD_TEXTS] = "object",  [FIELD_LIST] = "array"};

static gboolean is_number(const tool_field *field)
{
    return field->kind == FIELD_WHOLE || field->kind == FIELD_NUMBER;
}

static json_t *number_json(const tool_field *field, double value)
{
    return field->kind == FIELD_WHOLE ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *field_json(const tool_field *field)
{
    json_t *schema =
        json_pack("{s:s, s:s}", "type", type_names[field->kind], "description", field->says);
    if (is_number(field)) {
        json_object_set_new(schema, "minimum", number_json(field, field->least));
        json_object_set_new(schema, "maximum", number_json(field, field->most));
        if (field->fallback >= field->least)
            json_object_set_new(schema, "default", number_json(field, field->fallback));
    }
    if (field->kind == FIELD_TEXTS)
        json_object_set_new(schema, "additionalProperties", json_pack("{s:s}", "type", "string"));
    if (field->kind == FIELD_LIST)
        json_object_set_new(schema, "items", json_pack("{s:s}", "type", "string"));
    if (field->choices) {
        g_auto(GStrv) words = g_strsplit(field->choices, " ", -1);
        json_t *list = json_array();
        for (char **word = words; *word; word++)
            json_array_append_new(list, json_string(*word));
        json_object_set_new(schema, "enum", list);
    }
    return schema;
}

static json_t *input_json(const tool *self)
{
    json_t *properties = json_object(), *required = json_array();
    for (const tool_field *field = self->fields; field->name; field++) {
        json_object_set_new(properties, field->name, field_json(field));
        if (field->required)
            json_array_append_new(required, json_string(field->name));
    }
    return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties, "required",
                     required, "additionalProperties", 0);
}

json_t *tool_json(const tool *self)
{
    json_t *hints = json_pack(
        "{s:b, s:b, s:b, s:b}", "readOnlyHint", (self->hints & TOOL_READS) != 0, "destructiveHint",
        (self->hints & TOOL_DESTROYS) != 0, "idempotentHint", (self->hints & TOOL_REPEATS) != 0,
        "openWorldHint", (self->hints & TOOL_OUTSIDE) != 0);
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "name", self->name, "title", self->title,
                     "description", self->description, "inputSchema", input_json(self),
                     "outputSchema", json_loads(self->output, 0, NULL), "annotations", hints);
}

const tool *tool_find(const char *name)
{
    for (const tool *self = tools; self->name; self++) {
        if (strcmp(self->name, name) == 0)
            return self;
    }
    return NULL;
}

static const tool_field *find_field(const tool_field *fields, const char *name)
{
    for (; fields->name; fields++) {
        if (strcmp(fields->name, name) == 0)
            return fields;
    }
    return NULL;
}

/* "'a', 'b'": their names. */
static char *field_names(const tool_field *fields)
{
    GString *names = g_string_new(NULL);
    for (; fields->name; fields++)
        g_string_append_printf(names, "%s'%s'", names->len ? ", " : "", fields->name);
    return g_string_free(names, FALSE);
}

/* Beyond this, a double has no fractions. */
#define WHOLE_MAX 1e15

static gboolean is_whole(double value)
{
    return value >= -WHOLE_MAX && value <= WHOLE_MAX && (double)(gint64)value == value;
}

static gboolean is_of_kind(const tool_field *field, json_t *value)
{
    const char *name;
    size_t i;
    json_t *one;
    switch (field->kind) {
    case FIELD_TEXT:
        return json_is_string(value);
    case FIELD_WHOLE:
        return json_is_integer(value) || (json_is_real(value) && is_whole(json_real_value(value)));
    case FIELD_NUMBER:
        return json_is_number(value);
    case FIELD_FLAG:
        return json_is_boolean(value);
    case FIELD_TEXTS:
    case FIELD_LIST:
        break;
    }
    if (field->kind == FIELD_LIST ? !json_is_array(value) : !json_is_object(value))
        return FALSE;
    json_array_foreach (value, i, one) {
        if (!json_is_string(one))
            return FALSE;
    }
    json_object_foreach (value, name, one) {
        if (!json_is_string(one))
            return FALSE;
    }
    return TRUE;
}

static char *check_value(const tool_field *field, json_t *value)
{
    if (!is_of_kind(field, value))
        return g_strdup_printf("'%s' must be of type %s%s", field->name, type_names[field->kind],
                               field->kind == FIELD_TEXTS  ? ", with texts as values"
                               : field->kind == FIELD_LIST ? " of texts"
                                                           : "");
    double number = json_number_value(value);
    if (is_number(field) && !(number >= field->least && number <= field->most))
        return g_strdup_printf("'%s' must be from %g to %g", field->name, field->least,
                               field->most);
    g_auto(GStrv) words = field->choices ? g_strsplit(field->choices, " ", -1) : NULL;
    if (words && !g_strv_contains((const char *const *)words, json_string_value(value)))
        return g_strdup_printf("'%s' must be one of: %s", field->name, field->choices);
    return NULL;
}

char *tool_check(const tool_field *fields, json_t *arguments)
{
    const char *name;
    json_t *value;
    json_object_foreach (arguments, name, value) {
        const tool_field *field = find_field(fields, name);
        if (!field) {
            g_autofree char *known = field_names(fields), *safe = text_safe_max(name, -1, 64);
            return g_strdup_printf("there is no argument '%s'; known are %s", safe, known);
        }
        char *wrong = check_value(field, value);
        if (wrong)
            return wrong;
    }
    for (; fields->name; fields++) {
        if (fields->required && !json_object_get(arguments, fields->name))
            return g_strdup_printf("the argument '%s' is missing", fields->name);
    }
    return NULL;
}

const char *tool_text(json_t *arguments, const char *name)
{
    return json_string_value(json_object_get(arguments, name));
}

double tool_number(const tool *self, json_t *arguments, const char *name)
{
    json_t *value = json_object_get(arguments, name);
    return value ? json_number_value(value) : find_field(self->fields, name)->fallback;
}

gboolean tool_flag(json_t *arguments, const char *name)
{
    return json_is_true(json_object_get(arguments, name));
}

/* Without "." and empty parts. NULL when ".." leads out of the project. */
static char *clean(const char *text)
{
    g_auto(GStrv) parts = g_strsplit(text, "/", -1);
    g_autoptr(GPtrArray) kept = g_ptr_array_new();
    for (char **part = parts; *part; part++) {
        if (!**part || strcmp(*part, ".") == 0)
            continue;
        if (strcmp(*part, "..") != 0)
            g_ptr_array_add(kept, *part);
        else if (kept->len == 0)
            return NULL;
        else
            g_ptr_array_set_size(kept, (gint)kept->len - 1);
    }
    g_ptr_array_add(kept, NULL);
    return kept->len > 1 ? g_strjoinv("/", (char **)kept->pdata) : g_strdup(".");
}

char *project_path(const char *project, const char *text)
{
    gsize length = strlen(project);
    if (strlen(text) >= PATH_MAX)
        return NULL;
    if (*text == '/') {
        if (strncmp(text, project, length) != 0 || (text[length] && text[length] != '/'))
            return NULL;
        text += length;
    }
    return clean(text);
}
