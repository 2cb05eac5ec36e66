/*
 * The steps that images bring for builds that start from them (ONBUILD), from the storage's own
 * files: the REST API does not tell them.
 */
#pragma once

#include <glib.h>

#include "podman/podman.h"

/* Returns FALSE to stop, with ERROR. IMAGE: a name or ID, not safe to show. */
typedef gboolean (*storage_step_func)(const char *image, const char *step, gpointer data,
                                      GError **error);

/* Calls FUNC for each step in the configuration of an image, a JSON text of LENGTH bytes. FALSE
 * with ERROR: FUNC has stopped, or one cannot be sure that others read the same there. */
gboolean storage_steps_parse(const char *image, const char *text, gsize length,
                             storage_step_func func, gpointer data, GError **error);
/* The same for each image in the storage that INFO, what podman_info() says, tells of. FALSE also
 * when not all of them can be read: some are in another storage, or not on this machine. */
gboolean storage_steps_in(const json_t *info, storage_step_func func, gpointer data,
                          GError **error);
/* The same for the storage that SERVER uses. */
gboolean storage_steps_each(podman_client *server, storage_step_func func, gpointer data,
                            GError **error);
