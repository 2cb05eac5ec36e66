/*
 * Fuzzes the key store's file format: each input is tried as it is, and with the right length and
 * checksum, so that the code after these checks is reached. An accepted file must be written again
 * unchanged.
 */
#include <sodium.h>
#include <stdint.h>
#include <string.h>

#include "ssh-agent/store/key_error.h"
#include "ssh-agent/store/key_store_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Except for the three hashes the output equals the input. */
static void check_written(const key_store_file *index, const guint8 *data, gsize length)
{
    g_autoptr(secret) key = secret_new(KDF_KEY);
    g_autoptr(GByteArray) again = key_store_file_serialize(index, key, key);
    gsize behind = KEY_STORE_HEAD + KEY_STORE_HASH;
    g_assert_nonnull(again);
    g_assert_cmpuint(again->len, ==, length);
    g_assert_cmpint(memcmp(again->data, data, KEY_STORE_HEAD), ==, 0);
    g_assert_cmpint(
        memcmp(again->data + behind, data + behind, length - behind - 2 * KEY_STORE_HASH), ==, 0);
}

static void fuzz(const guint8 *data, gsize length)
{
    g_autoptr(secret) key = secret_new(KDF_KEY);
    g_autoptr(GError) error = NULL;
    key_store_file index;
    key_store_file_init(&index);
    if (key_store_file_parse(&index, data, length, &error))
        check_written(&index, data, length);
    else
        g_assert_true(error && error->domain == KEY_ERROR);
    for (guint i = 0; i < index.records->len; i++) {
        const key_store_record *record = index.records->pdata[i];
        g_assert_true(key_store_name_is_valid(record->name));
        g_autoptr(secret) blob = key_store_record_unseal(record, key, NULL);
        g_assert_null(blob);
    }
    key_store_file_clear(&index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree guint8 *copy = g_memdup2(data, size);
    g_assert_cmpint(sodium_init(), >=, 0);
    fuzz(copy, size);
    if (size < KEY_STORE_HEAD + KEY_STORE_HASH)
        return 0;
    for (int i = 0; i < 8; i++)
        copy[20 + i] = (guint64)size >> (8 * (7 - i)) & 0xff;
    crypto_generichash(copy + size - KEY_STORE_HASH, KEY_STORE_HASH, copy, size - KEY_STORE_HASH,
                       NULL, 0);
    fuzz(copy, size);
    return 0;
}
