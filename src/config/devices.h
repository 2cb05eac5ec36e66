/*
 * The devices that `box device add` gave to a box: a list of ours beside the user's files, which
 * are the user's to write. A line each, "SOURCE TAB TARGET", in data/boxes/NAME/devices; it goes
 * with the box.
 */
#pragma once

#include "common/error.h"
#include "config/settings.h"

/* Where the list of box NAME is. A new string. */
char *devices_path(const char *name);

/* The list of NAME, of settings_device; empty when there is none. NULL with BOX_ERROR_CONFIG when
 * it is not as we write it. */
GPtrArray *devices_read(const char *name, GError **error);
/* The same of its LENGTH bytes of TEXT; FILE is for messages. */
GPtrArray *devices_parse(const char *text, gsize length, const char *file, GError **error);

gboolean devices_write(const char *name, const GPtrArray *list, GError **error);
