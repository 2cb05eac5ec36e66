/*
 * The file format of dconf's databases (GVDB): a hash table of names and serialised values.
 *
 * Reading is for the user's own database, which a box may have been given to write: every offset is
 * checked, nothing is followed twice. Written is what a box's dconf reads as the defaults of its
 * own. Files of the other byte order are not read.
 */
#pragma once

#include <glib.h>

/* The value of KEY ("/org/…/name") in the LENGTH bytes of DATA; NULL when there is none, or when
 * they are no database. Owned by the caller. */
GVariant *gvdb_get(const char *data, gsize length, const char *key);

typedef struct {
    const char *key;
    GVariant *value; /* borrowed */
} gvdb_entry;

/* A database of COUNT entries. */
GByteArray *gvdb_make(const gvdb_entry *entries, gsize count);
