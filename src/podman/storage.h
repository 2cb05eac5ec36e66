/*
 * What the REST API does not tell of images, from the own records of Podman's storage. These are
 * containers/storage's images.json and layers.json, and the files of each image. They are read
 * without their lock, as they are replaced by renaming.
 */
#pragma once

#include <glib.h>

#include "podman/podman.h"

/* Sets ROOT and DRIVER, new strings, to where the storage is that has IMAGE, what
 * podman_image_inspect() returned (may be NULL). FALSE: it is not said, as with drivers other than
 * "overlay". */
gboolean storage_location_of_image(const json_t *image, char **root, char **driver);

/* Whether the layers of IMAGE, what podman_image_inspect() returned (may be NULL), may have PATH,
 * absolute. FALSE: none has it. To ask Podman for a path that a container lacks takes 40 ms. */
gboolean storage_may_have(const json_t *image, const char *path);

/* Which layers hold which images: the API knows neither the copies of an image for other ids, nor
 * which layers two images share. */

typedef struct storage_layers storage_layers;

/* Parses the two records. NULL when one is not what containers/storage writes. */
storage_layers *storage_layers_parse(const char *images, gsize images_length, const char *layers,
                                     gsize layers_length);
/* Those of the storage in which SERVER has IMAGE; NULL when it cannot be read, or is not on this
 * machine. */
storage_layers *storage_layers_read(podman_client *server, const char *image);
void storage_layers_free(storage_layers *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(storage_layers, storage_layers_free)

/*
 * The layers that only images in GONE (a set of image IDs) need: a new array of layer IDs, each of
 * 64 hex digits, owned by SELF. Layers of containers are not counted, so an image that has one must
 * not be in GONE.
 */
GPtrArray *storage_layers_only_of(const storage_layers *self, GHashTable *gone);
/* The folder of LAYER, a new string; NULL after storage_layers_parse(). */
char *storage_layers_folder(const storage_layers *self, const char *layer);

/* The steps that images bring for builds that start from them (ONBUILD). */

/* Returns FALSE to stop, with ERROR. IMAGE: a name or ID, not safe to show. */
typedef gboolean (*storage_step_func)(const char *image, const char *step, gpointer data,
                                      GError **error);

/* Calls FUNC for each step in the configuration of an image, a JSON text of LENGTH bytes. FALSE
 * with ERROR: FUNC has stopped, or one cannot be sure that others read the same there. */
gboolean storage_steps_parse(const char *image, const char *text, gsize length,
                             storage_step_func func, gpointer data, GError **error);
/* The same for each image in the storage ROOT of DRIVER ("overlay"). FALSE also when not all of the
 * NUMBER images that Podman has can be read: some are in another storage, or not on this machine.
 */
gboolean storage_steps_in(const char *root, const char *driver, gsize number,
                          storage_step_func func, gpointer data, GError **error);
/* The same for the storage that SERVER uses. */
gboolean storage_steps_each(podman_client *server, storage_step_func func, gpointer data,
                            GError **error);
