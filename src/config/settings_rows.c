/* Settings: their parts, and what is done with them row by row of the schema: defaults, release,
 * options. */
#include <string.h>

#include "config/value.h"

gboolean settings_wants_appearance(const settings *self)
{
    return self->desktop.appearance &&
           (self->desktop.wayland != WAYLAND_NONE || self->desktop.x11 != X11_NONE);
}

gboolean settings_wants_pictures(const settings *self)
{
    return self->desktop.clipboard == CLIPBOARD_TO_BOX || self->desktop.clipboard == CLIPBOARD_BOTH;
}

gboolean settings_wants_requests(const settings *self)
{
    return self->desktop.open != OPEN_DENY || self->desktop.notify || settings_wants_pictures(self);
}

gboolean settings_dotfiles_is_folder(const settings *self)
{
    const char *dotfiles = self->home.dotfiles;
    return dotfiles && (*dotfiles == '/' || *dotfiles == '~');
}

settings_device *settings_device_new(const char *source, const char *target)
{
    settings_device *self = g_new0(settings_device, 1);
    self->source = g_strdup(source);
    self->target = g_strdup(target);
    return self;
}

void settings_device_free(settings_device *device)
{
    if (!device)
        return;
    g_free(device->source);
    g_free(device->target);
    g_free(device);
}

settings_mount *settings_mount_new(const char *source, const char *target, enum mount_mode mode)
{
    settings_mount *self = g_new0(settings_mount, 1);
    self->source = g_strdup(source);
    self->target = g_strdup(target);
    self->mode = mode;
    return self;
}

void settings_mount_free(settings_mount *mount)
{
    if (!mount)
        return;
    g_free(mount->source);
    g_free(mount->target);
    g_free(mount);
}

/* One row's default. A wrong one is a mistake of the schema, which the unit tests find. */
static void set_default(settings *self, const schema_key *row)
{
    toml_place at = {0, 0};
    g_autofree char *message = NULL;
    g_autofree char *text = g_strconcat("value = ", row->fallback, NULL);
    g_autoptr(toml_tree) root = toml_parse(text, strlen(text), &at, &message);
    g_autoptr(problems) wrong = problems_new();
    g_autoptr(GError) error = NULL;
    value_source from = {.row = row, .file = "default", .problems = wrong};

    if (root)
        value_read(&from, toml_get(root, "value"), schema_field(row, self));
    if (!root || !problems_check(wrong, &error))
        g_error("schema: %s.%s: %s", row->section, row->key, root ? error->message : message);
}

settings *settings_new_defaults(void)
{
    settings *self = g_new0(settings, 1);
    for (gsize i = 0; i < schema_count; i++)
        set_default(self, &schema_keys[i]);
    return self;
}

void settings_free(settings *self)
{
    if (!self)
        return;
    for (gsize i = 0; i < schema_count; i++)
        value_clear(schema_keys[i].kind, schema_field(&schema_keys[i], self));
    g_clear_pointer(&self->added_devices, g_ptr_array_unref);
    g_free(self->approved_files);
    g_free(self);
}

static void add(GPtrArray *out, const char *name, const char *value)
{
    g_ptr_array_add(out, g_strconcat(name, "=", value, NULL));
}

static void add_number(GPtrArray *out, const char *name, gint64 value)
{
    g_autofree char *text =
        value == SETTINGS_NEVER ? g_strdup("never") : g_strdup_printf("%" G_GINT64_FORMAT, value);
    add(out, name, text);
}

static void add_double(GPtrArray *out, const char *name, double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    add(out, name, g_ascii_dtostr(text, sizeof text, value));
}

static void add_row(GPtrArray *out, const schema_key *row, const void *field)
{
    g_autofree char *name = schema_name(row);
    switch (row->kind) {
    case SCHEMA_STRING:
        if (*(char *const *)field)
            add(out, name, *(char *const *)field);
        return;
    case SCHEMA_BOOL:
        add(out, name, *(const gboolean *)field ? "true" : "false");
        return;
    case SCHEMA_ENUM:
        add(out, name, choice_by_value(row->choices, *(const int *)field)->name);
        return;
    case SCHEMA_INT:
    case SCHEMA_SIZE:
    case SCHEMA_DURATION:
        add_number(out, name, *(const gint64 *)field);
        return;
    case SCHEMA_DOUBLE:
        add_double(out, name, *(const double *)field);
        return;
    case SCHEMA_LIST:
    case SCHEMA_MAP:
        for (char *const *entry = *(char **const *)field; entry && *entry; entry++)
            add(out, name, *entry);
        return;
    case SCHEMA_PORTS:
    case SCHEMA_SHARES:
    case SCHEMA_MOUNTS:
    case SCHEMA_RAW:
    case N_SCHEMA_KINDS:
        g_error("'%s' reaches another program, and its kind has no form as an option", name);
    }
}

void settings_to_options(const settings *self, unsigned receiver, GPtrArray *out)
{
    for (gsize i = 0; i < schema_count; i++)
        if (schema_keys[i].reaches & receiver)
            add_row(out, &schema_keys[i], schema_field_const(&schema_keys[i], self));
}

/* "NAME=VALUE", and how long NAME is: the start of each session compares all names with all rows.
 */
typedef struct {
    const char *text;
    gsize name;
} option_line;

static GArray *read_lines(const char *const *options)
{
    GArray *lines = g_array_new(FALSE, FALSE, sizeof(option_line));
    for (; *options; options++) {
        option_line line = {*options, strcspn(*options, "=")};
        if (line.text[line.name] == '=')
            g_array_append_val(lines, line);
    }
    return lines;
}

/* The value when the line at INDEX is of the row NAME, else NULL. */
static const char *value_of(const GArray *lines, guint index, const char *name, gsize length)
{
    const option_line *line = &g_array_index(lines, option_line, index);
    return line->name == length && memcmp(line->text, name, length) == 0 ? line->text + length + 1
                                                                         : NULL;
}

static gboolean gather_list(const GArray *lines, const char *name, char ***field)
{
    GPtrArray *entries = g_ptr_array_new();
    gsize length = strlen(name);
    for (guint i = 0; i < lines->len; i++) {
        const char *value = value_of(lines, i, name, length);
        if (value)
            g_ptr_array_add(entries, g_strdup(value));
    }
    g_ptr_array_add(entries, NULL);
    *field = (char **)g_ptr_array_free(entries, FALSE);
    return TRUE;
}

static gboolean read_option(const schema_key *row, const char *name, const char *option,
                            void *field)
{
    static const enum setting_type types[N_SCHEMA_KINDS] = {
        [SCHEMA_BOOL] = SETTING_BOOL,       [SCHEMA_ENUM] = SETTING_CHOICE,
        [SCHEMA_INT] = SETTING_NUMBER,      [SCHEMA_SIZE] = SETTING_NUMBER,
        [SCHEMA_DURATION] = SETTING_NUMBER,
    };
    const struct setting_option table[] = {{name, types[row->kind], 0, row->choices}, {0}};
    return setting_option_read(table, option, field) > 0;
}

/* The last option of a key counts, as everywhere. */
static gboolean gather_row(const GArray *lines, const schema_key *row, void *field)
{
    g_autofree char *name = schema_name(row);
    gsize length = strlen(name);
    gboolean good = TRUE;
    if (row->kind == SCHEMA_LIST || row->kind == SCHEMA_MAP)
        return gather_list(lines, name, field);
    for (guint i = 0; good && i < lines->len; i++) {
        const char *value = value_of(lines, i, name, length);
        if (!value)
            continue;
        if (row->kind == SCHEMA_STRING) {
            g_free(*(char **)field);
            *(char **)field = g_strdup(value);
        } else if (row->kind == SCHEMA_DOUBLE) {
            *(double *)field = g_ascii_strtod(value, NULL);
        } else {
            good = read_option(row, name, g_array_index(lines, option_line, i).text, field);
        }
    }
    return good;
}

settings *settings_from_options(const char *const *options, unsigned receiver)
{
    g_autoptr(settings) self = g_new0(settings, 1);
    g_autoptr(GArray) lines = read_lines(options);
    for (gsize i = 0; i < schema_count; i++) {
        const schema_key *row = &schema_keys[i];
        if ((row->reaches & receiver) && !gather_row(lines, row, schema_field(row, self)))
            return NULL;
    }
    return g_steal_pointer(&self);
}
