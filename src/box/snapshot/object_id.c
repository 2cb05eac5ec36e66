#include "box/snapshot/object_id.h"

#include <sodium.h>
#include <string.h>

void object_id_of(const void *data, gsize length, object_id *id)
{
    crypto_generichash(id->bytes, sizeof id->bytes, data, length, NULL, 0);
}

void object_id_print(const object_id *id, char text[OBJECT_ID_TEXT])
{
    sodium_bin2hex(text, OBJECT_ID_TEXT, id->bytes, sizeof id->bytes);
}

gboolean object_id_scan(const char *text, object_id *id)
{
    size_t got = 0;
    return strlen(text) == OBJECT_ID_TEXT - 1 &&
           sodium_hex2bin(id->bytes, sizeof id->bytes, text, OBJECT_ID_TEXT - 1, NULL, &got,
                          NULL) == 0 &&
           got == sizeof id->bytes;
}

guint object_id_hash(gconstpointer id)
{
    guint hash;
    memcpy(&hash, id, sizeof hash);
    return hash;
}

gboolean object_id_equal(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(object_id)) == 0;
}
