/*
 * The file format of dconf's databases (GVDB): a hash table of names and serialised GVariants.
 *
 * The reader is for the user's database, which a box may have been able to write: it checks each
 * offset and cannot loop. The writer makes the database with a box's defaults. Files in the other
 * byte order are not read.
 */
#pragma once

#include <glib.h>

/* The value of KEY ("/org/…/name") in the database of LENGTH bytes; NULL when the key is missing or
 * the database is damaged. Owned by the caller. */
GVariant *gvdb_get(const char *data, gsize length, const char *key);

typedef struct {
    const char *key;
    GVariant *value; /* belongs to the caller */
} gvdb_entry;

/* A new database with COUNT entries. */
GByteArray *gvdb_make(const gvdb_entry *entries, gsize count);
