/*
 * The devices that `box device add` gave to a box. The list is a file of Litterbox's own, because
 * it does not edit the user's configuration: data/boxes/NAME/devices, with a line "SOURCE TAB
 * TARGET" for each device. It is removed with the box.
 */
#pragma once

#include "common/error.h"
#include "config/settings.h"

/* Where the list of box NAME is. A new string. */
char *devices_path(const char *name);

/* The list of NAME, of settings_device; empty when there is none. NULL with BOX_ERROR_CONFIG when
 * a line has another form. */
GPtrArray *devices_read(const char *name, GError **error);
/* Parses LENGTH bytes of TEXT as such a list; FILE is for messages. */
GPtrArray *devices_parse(const char *text, gsize length, const char *file, GError **error);

gboolean devices_write(const char *name, const GPtrArray *list, GError **error);
