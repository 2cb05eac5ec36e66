#include "config/settings.h"

gboolean settings_wants_appearance(const settings *self)
{
    return self->desktop.appearance &&
           (self->desktop.wayland != WAYLAND_NONE || self->desktop.x11 != X11_NONE);
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
