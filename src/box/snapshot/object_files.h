/* The files of an object store (object_store.h). Errors are errno, where nothing else is said. */
#pragma once

#include <glib.h>

/* The name of an object: BLAKE2b-256 of its contents. */

#define OBJECT_ID_SIZE 32
/* Hexadecimal, with the NUL. */
#define OBJECT_ID_TEXT (2 * OBJECT_ID_SIZE + 1)

typedef struct {
    guint8 bytes[OBJECT_ID_SIZE];
} object_id;

void object_id_of(const void *data, gsize length, object_id *id);
void object_id_print(const object_id *id, char text[OBJECT_ID_TEXT]);
/* FALSE: TEXT is none. */
gboolean object_id_scan(const char *text, object_id *id);
/* For a GHashTable of object_id. */
guint object_id_hash(gconstpointer id);
gboolean object_id_equal(gconstpointer a, gconstpointer b);

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

/* Takes the name from one that is not what its name says, until the next collection. */
void object_files_set_aside(const object_files *self, const object_id *id);

/* A new file NAME in staging, open for writing, in place of one that is there; -1. */
int object_files_create(const object_files *self, const char *name);
/* Gives the file PART in staging the name of ID. -1. */
int object_files_name(const object_files *self, const char *part, const object_id *id);
/* Moves the staged ones of IDS, a set, to their places, when they are on the disk. */
gboolean object_files_publish(const object_files *self, GHashTable *ids);

/* Removes what is not in USED, a set; *FREED: bytes. DRY: only counts them. */
gboolean object_files_collect(const object_files *self, GHashTable *used, gboolean dry,
                              guint64 *freed);
