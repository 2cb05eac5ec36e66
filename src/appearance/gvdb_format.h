/* What reading and writing GVDB share. All numbers are little-endian. */
#pragma once

#include <glib.h>

/* "GVariant" as two numbers in the byte order of the values: the machine's own. */
#define GVDB_SIGNATURE_0 1918981703u
#define GVDB_SIGNATURE_1 1953390953u
#define GVDB_NO_PARENT 0xffffffffu
#define GVDB_VALUE 'v'

/* From START to END, of the whole file. */
typedef struct {
    guint32 start, end;
} gvdb_range;

typedef struct {
    guint32 signature[2]; /* in the machine's order */
    guint32 version, options;
    gvdb_range root;
} gvdb_header;
G_STATIC_ASSERT(sizeof(gvdb_header) == 24);

/* At the root: this, bloom words, buckets (index of the first item of each), items. */
typedef struct {
    guint32 bloom; /* words, in the lower 27 bits */
    guint32 buckets;
} gvdb_table;
#define GVDB_BLOOM_MASK 0x07ffffffu

/* Its name is that of its parent's and then its own. */
typedef struct {
    guint32 hash, parent, key_start;
    guint16 key_size;
    char type;
    char unused;
    gvdb_range value;
} gvdb_item;
G_STATIC_ASSERT(sizeof(gvdb_item) == 24);

static inline guint32 gvdb_hash(const char *key)
{
    guint32 hash = 5381;
    for (; *key; key++)
        hash = hash * 33 + (guint32)(signed char)*key;
    return hash;
}
