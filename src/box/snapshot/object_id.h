/* The name of an object: BLAKE2b-256 of its contents. */
#pragma once

#include <glib.h>

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
