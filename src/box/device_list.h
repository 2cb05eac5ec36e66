/* Changing what `box device add` gave to a box (config/devices.h), by one `box` at a time. */
#pragma once

#include "box/registry/registry.h"
#include "config/settings.h"

/*
 * Gives SELF the device that PATH, as the user named it, leads to now: kept by its stable name
 * where it has one, and under the name PATH in the box. BOX_ERROR_USAGE with the reason when no box
 * may have it. A new settings_device; *NODE (a new string) is the device itself now.
 */
settings_device *device_list_add(const box *self, const char *path, char **node, GError **error);

/* Takes away the one that PATH names, in the box or on the host. */
gboolean device_list_remove(const box *self, const char *path, GError **error);
