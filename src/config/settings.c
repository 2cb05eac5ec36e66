#include "config/settings.h"

#include <string.h>

#include "config/layer.h"
#include "config/value.h"

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

gboolean settings_wants_appearance(const settings *self)
{
    return self->desktop.appearance &&
           (self->desktop.wayland != WAYLAND_NONE || self->desktop.x11 != X11_NONE);
}

void settings_free(settings *self)
{
    if (!self)
        return;
    for (gsize i = 0; i < schema_count; i++)
        value_clear(schema_keys[i].kind, schema_field(&schema_keys[i], self));
    g_clear_pointer(&self->added_devices, g_ptr_array_unref);
    g_free(self);
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

settings_mount *settings_mount_new(const char *source, const char *target, settings_mode mode)
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
