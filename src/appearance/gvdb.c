#include "appearance/gvdb.h"

#include <string.h>

/* All numbers of the format are little-endian, except for the signature: "GVariant" as two numbers
 * in the machine's byte order, which is that of the values. */
#define GVDB_SIGNATURE_0 1918981703u
#define GVDB_SIGNATURE_1 1953390953u
#define GVDB_NO_PARENT 0xffffffffu
#define GVDB_VALUE 'v'

/* Offsets in the file; END is exclusive. */
typedef struct {
    guint32 start, end;
} gvdb_range;

typedef struct {
    guint32 signature[2];
    guint32 version, options;
    gvdb_range root;
} gvdb_header;
G_STATIC_ASSERT(sizeof(gvdb_header) == 24);

/* The root's range holds this, the words of a Bloom filter, the buckets (the index of the first
 * item of each), and the items. */
typedef struct {
    guint32 bloom; /* number of words, in the lower 27 bits */
    guint32 buckets;
} gvdb_table;
#define GVDB_BLOOM_MASK 0x07ffffffu

/* An item's name is its parent's name followed by its key. */
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

typedef struct {
    const char *data;
    gsize length;
    const char *buckets, *items; /* in DATA */
    guint32 n_buckets, n_items;
} table;

static guint32 number_at(const char *at)
{
    guint32 number;
    memcpy(&number, at, sizeof number);
    return GUINT32_FROM_LE(number);
}

/* The bytes of RANGE, which must start at a multiple of ALIGNMENT; NULL when it is not valid. */
static const char *bytes_of(const table *self, gvdb_range range, guint alignment, gsize *size)
{
    gsize start = GUINT32_FROM_LE(range.start), end = GUINT32_FROM_LE(range.end);
    if (start % alignment || start > end || end > self->length)
        return NULL;
    *size = end - start;
    return self->data + start;
}

static gboolean open_table(table *self, const char *data, gsize length)
{
    gvdb_header header;
    gvdb_table head;
    gsize size;
    *self = (table){.data = data, .length = length};
    if (length < sizeof header)
        return FALSE;
    memcpy(&header, data, sizeof header);
    if (header.signature[0] != GVDB_SIGNATURE_0 || header.signature[1] != GVDB_SIGNATURE_1 ||
        header.version != 0)
        return FALSE;
    const char *at = bytes_of(self, header.root, 4, &size);
    if (!at || size < sizeof head)
        return FALSE;
    memcpy(&head, at, sizeof head);
    gsize words = GUINT32_FROM_LE(head.bloom) & GVDB_BLOOM_MASK;
    size = (size - sizeof head) / sizeof(guint32);
    self->n_buckets = GUINT32_FROM_LE(head.buckets);
    if (words > size || self->n_buckets > size - words)
        return FALSE;
    self->buckets = at + sizeof head + words * sizeof(guint32);
    self->items = self->buckets + self->n_buckets * sizeof(guint32);
    self->n_items =
        (guint32)((size - words - self->n_buckets) * sizeof(guint32) / sizeof(gvdb_item));
    return self->n_buckets > 0;
}

static gvdb_item item_at(const table *self, guint32 i)
{
    gvdb_item item;
    memcpy(&item, self->items + (gsize)i * sizeof item, sizeof item);
    return item;
}

/* Each step compares at least one byte of KEY, so that a cycle of parents ends. */
static gboolean has_name(const table *self, gvdb_item item, const char *key)
{
    gsize left = strlen(key);
    for (;;) {
        gsize start = GUINT32_FROM_LE(item.key_start), size = GUINT16_FROM_LE(item.key_size);
        guint32 parent = GUINT32_FROM_LE(item.parent);
        if (start > self->length || size > self->length - start || size > left || size == 0)
            return FALSE;
        left -= size;
        if (memcmp(key + left, self->data + start, size) != 0)
            return FALSE;
        if (parent == GVDB_NO_PARENT)
            return left == 0;
        if (parent >= self->n_items)
            return FALSE;
        item = item_at(self, parent);
    }
}

static GVariant *value_of(const table *self, const gvdb_item *item)
{
    gsize size;
    const char *at = bytes_of(self, item->value, 8, &size);
    if (!at)
        return NULL;
    g_autoptr(GBytes) bytes = g_bytes_new(at, size);
    /* "trusted" is FALSE: GVariant reads invalid bytes as a default value. */
    g_autoptr(GVariant) boxed =
        g_variant_ref_sink(g_variant_new_from_bytes(G_VARIANT_TYPE_VARIANT, bytes, FALSE));
    return g_variant_get_variant(boxed);
}

GVariant *gvdb_get(const char *data, gsize length, const char *key)
{
    table self;
    guint32 hash = gvdb_hash(key);
    if (!open_table(&self, data, length))
        return NULL;
    guint32 bucket = hash % self.n_buckets;
    guint32 end =
        bucket + 1 < self.n_buckets ? number_at(self.buckets + (bucket + 1) * 4) : self.n_items;
    for (guint32 i = number_at(self.buckets + bucket * 4); i < MIN(end, self.n_items); i++) {
        gvdb_item item = item_at(&self, i);
        if (GUINT32_FROM_LE(item.hash) == hash && item.type == GVDB_VALUE &&
            has_name(&self, item, key))
            return value_of(&self, &item);
    }
    return NULL;
}

static void align(GByteArray *out, guint alignment)
{
    static const guint8 zeros[8];
    g_byte_array_append(out, zeros, (alignment - out->len % alignment) % alignment);
}

/* Appends name and value of ENTRY, and stores their offsets in ITEM. Names are complete, so no item
 * has a parent. */
static void append_entry(GByteArray *out, const gvdb_entry *entry, gvdb_item *item)
{
    gsize length = strlen(entry->key);
    g_autoptr(GVariant) boxed = g_variant_ref_sink(g_variant_new_variant(entry->value));
    *item = (gvdb_item){.hash = GUINT32_TO_LE(gvdb_hash(entry->key)),
                        .parent = GUINT32_TO_LE(GVDB_NO_PARENT),
                        .key_start = GUINT32_TO_LE(out->len),
                        .key_size = GUINT16_TO_LE((guint16)length),
                        .type = GVDB_VALUE};
    g_byte_array_append(out, (const guint8 *)entry->key, (guint)length);
    align(out, 8);
    item->value.start = GUINT32_TO_LE(out->len);
    g_byte_array_append(out, g_variant_get_data(boxed), (guint)g_variant_get_size(boxed));
    item->value.end = GUINT32_TO_LE(out->len);
}

GByteArray *gvdb_make(const gvdb_entry *entries, gsize count)
{
    GByteArray *out = g_byte_array_new();
    gvdb_table head = {.buckets = GUINT32_TO_LE(count ? 1 : 0)};
    guint32 first = 0;
    gsize items = sizeof(gvdb_header) + sizeof head + (count ? sizeof first : 0);
    gsize end = items + count * sizeof(gvdb_item);
    gvdb_header header = {
        .signature = {GVDB_SIGNATURE_0, GVDB_SIGNATURE_1},
        .root = {GUINT32_TO_LE((guint32)sizeof header), GUINT32_TO_LE((guint32)end)}};
    g_byte_array_append(out, (const guint8 *)&header, sizeof header);
    g_byte_array_append(out, (const guint8 *)&head, sizeof head);
    g_byte_array_set_size(out, (guint)end);
    memset(out->data + items - (count ? sizeof first : 0), 0, end - items);
    for (gsize i = 0; i < count; i++) {
        gvdb_item item;
        append_entry(out, &entries[i], &item);
        memcpy(out->data + items + i * sizeof item, &item, sizeof item);
    }
    return out;
}
