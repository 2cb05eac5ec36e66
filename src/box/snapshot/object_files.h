/* The files of an object store (object_store.h). Errors are errno, where nothing else is said. */
#pragma once

#include "box/snapshot/object_id.h"

typedef struct {
    int lock, objects, staging; /* descriptors */
} object_files;

/* Opens the store TOP, and makes it. WAITED as for fs_lock(). */
gboolean object_files_open(object_files *self, const char *top, void (*waited)(const char *path),
                           GError **error);
/* Empties staging. */
void object_files_close(object_files *self);

/* TRUE for one that is published. */
gboolean object_files_has(const object_files *self, const object_id *id);
/* Such a one, open for reading; -1. */
int object_files_read(const object_files *self, const object_id *id);

/* A new file NAME in staging, open for writing, in place of one that is there; -1. */
int object_files_create(const object_files *self, const char *name);
/* Gives the file PART in staging the name of ID. -1. */
int object_files_name(const object_files *self, const char *part, const object_id *id);
/* Moves the staged ones of IDS, a set, to their places, when they are on the disk. */
gboolean object_files_publish(const object_files *self, GHashTable *ids);

/* Removes what is not in USED, a set; *FREED: bytes. */
gboolean object_files_collect(const object_files *self, GHashTable *used, guint64 *freed);
