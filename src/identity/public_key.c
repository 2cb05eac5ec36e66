#include "identity/public_key.h"

#include <string.h>

#include "common/text.h"

/* Bytes; a key of RSA with 16384 bits has 2,800. */
#define TYPE_MAX 64
#define KEY_MAX 8192
#define LENGTH_BYTES 4

/* RFC 4253, 6.6: a public key begins with its type, as a string with its length before it. */
static gboolean is_of_type(const char *encoded, const char *type)
{
    gsize length = 0, known = strlen(type);
    g_autofree guchar *key = g_base64_decode(encoded, &length);

    return length > LENGTH_BYTES + known && !key[0] && !key[1] && !key[2] && key[3] == known &&
           memcmp(key + LENGTH_BYTES, type, known) == 0;
}

char *public_key_from_line(const char *text)
{
    gsize type_length = strcspn(text, " \t");
    const char *rest = text + type_length + strspn(text + type_length, " \t");
    gsize key_length = strcspn(rest, " \t\r\n");

    if (!type_length || type_length > TYPE_MAX || !key_length || key_length > KEY_MAX)
        return NULL;
    g_autofree char *type = g_strndup(text, type_length);
    g_autofree char *key = g_strndup(rest, key_length);
    if (!text_has_only(type, "-.@") || !text_has_only(key, "+/=") || !is_of_type(key, type))
        return NULL;
    return g_strdup_printf("%s %s", type, key);
}
