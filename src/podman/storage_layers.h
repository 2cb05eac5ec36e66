/*
 * Which layers of Podman's storage hold which images, from the storage's own records: the REST API
 * knows neither the copies of an image for other ids, nor which layers two images share.
 *
 * The records are containers/storage's images.json and layers.json. They are read without their
 * lock, as they are replaced by renaming.
 */
#pragma once

#include <glib.h>

#include "podman/podman.h"

/* Bytes of a record. A layer takes about 600. */
#define STORAGE_RECORD_MAX (32 << 20)

/* Where INFO (podman_info(), may be NULL) says that the storage is: its folder, an absolute path,
 * and its driver's name; both are INFO's. FALSE: it does not say. */
gboolean storage_location(const json_t *info, const char **root, const char **driver);

typedef struct storage_layers storage_layers;

/* Parses the two records. NULL when one is not what containers/storage writes. */
storage_layers *storage_layers_parse(const char *images, gsize images_length, const char *layers,
                                     gsize layers_length);
/* Those of the storage that SERVER uses; NULL when it cannot be read, or is not on this machine. */
storage_layers *storage_layers_read(podman_client *server);
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
