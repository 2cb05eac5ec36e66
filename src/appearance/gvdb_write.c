#include "appearance/gvdb.h"

#include <string.h>

#include "appearance/gvdb_format.h"

static void align(GByteArray *out, guint alignment)
{
    static const guint8 zeros[8];
    g_byte_array_append(out, zeros, (alignment - out->len % alignment) % alignment);
}

/* Appends what belongs to ENTRY, and says in ITEM where. Each name is whole: no item has a parent.
 */
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
