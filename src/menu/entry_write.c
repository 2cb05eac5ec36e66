/* What stands in the host's menu for an entry of a box: keys of ours, values that were checked. */
#include <string.h>

#include "menu/entry.h"

static void set(GKeyFile *file, const char *key, const char *value)
{
    if (value)
        g_key_file_set_string(file, ENTRY_GROUP, key, value);
}

static void set_list(GKeyFile *file, const char *key, char **values)
{
    if (*values)
        g_key_file_set_string_list(file, ENTRY_GROUP, key, (const char *const *)values,
                                   g_strv_length(values));
}

/* One argument, quoted as Exec wants it; the file's own escapes come on top. */
static char *quote(const char *argument)
{
    GString *out = g_string_new("\"");
    for (; *argument; argument++) {
        if (strchr("\"`$\\", *argument))
            g_string_append_c(out, '\\');
        else if (*argument == '%')
            g_string_append_c(out, '%');
        g_string_append_c(out, *argument);
    }
    g_string_append_c(out, '"');
    return g_string_free(out, FALSE);
}

/* All in it is ours: a checked name and id, and at most the one code for files. */
static char *make_exec(const entry *self, const entry_owner *owner)
{
    g_autofree char *program = quote(owner->program);
    g_autofree char *instance =
        *owner->instance ? g_strdup_printf("/usr/bin/env LITTERBOX_INSTANCE=%s ", owner->instance)
                         : g_strdup("");
    const char code[] = {' ', '%', self->field, '\0'};
    return g_strconcat(instance, program, " app run ", owner->box, " ", self->id,
                       self->field ? code : "", NULL);
}

static gboolean check_program(const char *program, GError **error)
{
    gboolean good = g_path_is_absolute(program) && g_utf8_validate(program, -1, NULL);
    for (const char *at = program; *at; at++)
        good &= (unsigned char)*at >= ' ' && *at != 0x7f;
    if (!good)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "the path of 'box' itself cannot stand in a desktop entry");
    return good;
}

char *entry_write(const entry *self, const entry_owner *owner, GError **error)
{
    if (!check_program(owner->program, error))
        return NULL;
    g_autoptr(GKeyFile) file = g_key_file_new();
    g_autofree char *name = g_strdup_printf("%s (%s)", self->name, owner->box);
    g_autofree char *exec = make_exec(self, owner);
    set(file, "Type", "Application");
    set(file, "Version", "1.0");
    set(file, "Name", name);
    set(file, "GenericName", self->generic);
    set(file, "Comment", self->comment);
    set(file, "Exec", exec);
    set(file, "TryExec", owner->program);
    set(file, "Icon", owner->icon);
    g_key_file_set_boolean(file, ENTRY_GROUP, "Terminal", self->terminal);
    if (self->notify)
        g_key_file_set_boolean(file, ENTRY_GROUP, "StartupNotify", TRUE);
    set(file, "StartupWMClass", self->wm_class);
    set_list(file, "Categories", self->categories);
    if (self->field)
        set_list(file, "MimeType", self->mime_types);
    set_list(file, "Keywords", self->keywords);
    set(file, ENTRY_KEY_BOX, owner->box);
    set(file, ENTRY_KEY_INSTANCE, *owner->instance ? owner->instance : NULL);
    set(file, ENTRY_KEY_APP, self->id);
    return g_key_file_to_data(file, NULL, NULL);
}
