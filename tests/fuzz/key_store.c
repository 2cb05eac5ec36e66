/*
 * Bytes as the key store's file, once as they are and once with length and checksum made to fit, so
 * that what is behind these is reached. What is accepted must come out again as it went in.
 */
#include <sodium.h>
#include <stdint.h>
#include <string.h>

#include "ssh-agent/store/error.h"
#include "ssh-agent/store/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* All but the three hashes is what was read. */
static void check_written(const format_index *index, const guint8 *data, gsize length)
{
    g_autoptr(secret) key = secret_new(KDF_KEY);
    g_autoptr(GByteArray) again = format_write(index, key, key);
    gsize behind = FORMAT_HEAD + FORMAT_HASH;
    g_assert_nonnull(again);
    g_assert_cmpuint(again->len, ==, length);
    g_assert_cmpint(memcmp(again->data, data, FORMAT_HEAD), ==, 0);
    g_assert_cmpint(memcmp(again->data + behind, data + behind, length - behind - 2 * FORMAT_HASH),
                    ==, 0);
}

static void fuzz(const guint8 *data, gsize length)
{
    g_autoptr(GError) error = NULL;
    format_index index;
    format_index_init(&index);
    if (format_read(&index, data, length, &error))
        check_written(&index, data, length);
    else
        g_assert_true(error && error->domain == KEY_ERROR);
    for (guint i = 0; i < index.records->len; i++) {
        const format_record *record = index.records->pdata[i];
        g_assert_true(format_name_valid(record->name));
        g_byte_array_unref(format_associated(record));
    }
    format_index_clear(&index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree guint8 *copy = g_memdup2(data, size);
    g_assert_cmpint(sodium_init(), >=, 0);
    fuzz(copy, size);
    if (size < FORMAT_HEAD + FORMAT_HASH)
        return 0;
    for (int i = 0; i < 8; i++)
        copy[20 + i] = (guint64)size >> (8 * (7 - i)) & 0xff;
    crypto_generichash(copy + size - FORMAT_HASH, FORMAT_HASH, copy, size - FORMAT_HASH, NULL, 0);
    fuzz(copy, size);
    return 0;
}
