/*
 * Fuzzes the file of a snapshot, and an object with holes. The first byte says which. The checksum
 * of a file is made right, as most of the parser lies behind it; what is accepted is written again
 * as it was.
 */
#include <stdint.h>
#include <string.h>

#include "box/snapshot/file_contents.h"
#include "box/snapshot/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_entries(const snapshot_manifest *read)
{
    for (int part = 0; part < SNAPSHOT_PARTS; part++)
        for (guint i = 0; i < read->entries[part]->len; i++) {
            const snapshot_entry *entry = &g_array_index(read->entries[part], snapshot_entry, i);
            g_assert_cmpint(entry->path[0], !=, '/');
            g_assert_null(strstr(entry->path, "//"));
            g_assert_false(g_str_has_prefix(entry->path, "../"));
            g_assert_true(snapshot_manifest_find(read, (enum snapshot_part)part, entry->path) ==
                          entry);
        }
}

static void try_manifest(const uint8_t *data, size_t size)
{
    object_id checksum;
    snapshot_header header;
    g_autoptr(GByteArray) file = g_byte_array_new();
    g_byte_array_append(file, data, (guint)size);
    object_id_of(data, size, &checksum);
    g_byte_array_append(file, checksum.bytes, sizeof checksum.bytes);
    if (snapshot_header_parse(data, size, &header))
        snapshot_header_clear(&header);
    g_autoptr(snapshot_manifest) read = snapshot_manifest_parse(file->data, file->len);
    if (!read)
        return;
    check_entries(read);
    g_autoptr(GByteArray) again = snapshot_manifest_write(read);
    g_autoptr(snapshot_manifest) twice = snapshot_manifest_parse(again->data, again->len);
    g_assert_nonnull(twice);
}

static void try_sparse(const uint8_t *data, size_t size)
{
    sparse_reader reader = {.size = 1000};
    guint64 offset = 0, end = 0;
    while (size) {
        const guint8 *piece = data, *found = NULL;
        gsize length = MIN(size, 7), before = length, count;
        while (length) {
            if (!sparse_next(&reader, &piece, &length, &offset, &found, &count))
                return;
            if (!count)
                continue;
            g_assert_cmpuint(offset, >=, end);
            g_assert_cmpuint(offset + count, <=, reader.size);
            end = offset + count;
        }
        data += before;
        size -= before;
    }
    (void)sparse_is_complete(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size && *data == 'S')
        try_sparse(data + 1, size - 1);
    else if (size)
        try_manifest(data + 1, size - 1);
    return 0;
}
