/*
 * Fuzzes the file of certificates that Java trusts, as a hostile image may have it: what is taken
 * is the same again after the authority was added and removed.
 */
#include <stdint.h>

#include "box/helpers/java_store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PEM "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *text = g_strndup((const char *)data, size);
    g_autoptr(GString) made = java_store_of(text);
    g_autoptr(GString) same = java_store_without(made->str, made->len, NULL);
    g_assert_cmpmem(same->str, same->len, made->str, made->len);

    g_autoptr(GString) store = java_store_without((const char *)data, size, NULL);
    if (!store)
        return 0;
    g_autoptr(GString) with = g_string_new_len(store->str, (gssize)store->len);
    g_assert_true(java_store_add(with, PEM));
    g_autoptr(GString) without = java_store_without(with->str, with->len, NULL);
    g_assert_cmpmem(without->str, without->len, store->str, store->len);
    return 0;
}
