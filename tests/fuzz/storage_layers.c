/*
 * Fuzzes the records of Podman's storage: images.json, a NUL, layers.json. The IDs of layers become
 * paths. What two removals free together is no less than what each frees.
 */
#include <stdint.h>
#include <string.h>

#include "podman/storage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static guint freed(const storage_layers *self, const char *first, const char *second)
{
    g_autoptr(GHashTable) gone = g_hash_table_new(g_str_hash, g_str_equal);
    g_hash_table_add(gone, (gpointer)first);
    g_hash_table_add(gone, (gpointer)second);
    g_autoptr(GPtrArray) only = storage_layers_only_of(self, gone);
    for (guint i = 0; i < only->len; i++)
        g_assert_cmpuint(strspn(only->pdata[i], "0123456789abcdef"), ==, 64);
    return only->len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data, *end = size ? memchr(data, 0, size) : NULL;
    char first[65], second[65];
    if (!end)
        return 0;
    gsize length = (gsize)(end - text);
    g_autoptr(storage_layers) self = storage_layers_parse(text, length, end + 1, size - length - 1);
    if (!self)
        return 0;
    memset(first, 'a', 64);
    memset(second, 'b', 64);
    first[64] = second[64] = '\0';
    guint one = freed(self, first, first), other = freed(self, second, second);
    g_assert_cmpuint(freed(self, first, second), >=, MAX(one, other));
    return 0;
}
