#include "appearance/gvdb.h"

#include <string.h>

#include "appearance/gvdb_format.h"

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

/* The bytes of RANGE, which begins at a multiple of ALIGNMENT; NULL when they are not all there. */
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

/* Each step takes letters off the end of KEY, so a circle of parents ends. */
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
    /* Not trusted: what is no proper value reads as an empty one. */
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
