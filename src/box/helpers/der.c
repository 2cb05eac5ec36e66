#include "box/helpers/der.h"

/* More than any file that is read. */
#define LENGTH_BYTES_MAX 4

/* The bytes behind the first one of a length. */
static guint length_bytes(gsize length)
{
    guint bytes = 0;
    for (gsize rest = length; length >= 0x80 && rest > 0; rest >>= 8)
        bytes++;
    return bytes;
}

static gboolean take_length(der_reader *self, gsize *length)
{
    if (self->at == self->end)
        return FALSE;
    guint8 first = *self->at++;
    guint bytes = first < 0x80 ? 0 : first - 0x80u;
    *length = first < 0x80 ? first : 0;
    if (bytes > LENGTH_BYTES_MAX || bytes > self->end - self->at)
        return FALSE;
    for (guint i = 0; i < bytes; i++)
        *length = *length << 8 | *self->at++;
    /* The length that is not told (0x80) is none of DER. */
    return (first < 0x80) == (bytes == 0) && length_bytes(*length) == bytes;
}

gboolean der_take(der_reader *self, guint8 tag, der_reader *contents)
{
    der_reader rest = *self;
    gsize length;
    if (rest.at == rest.end || *rest.at++ != tag || !take_length(&rest, &length) ||
        length > (gsize)(rest.end - rest.at))
        return FALSE;
    *contents = (der_reader){rest.at, rest.at + length};
    self->at = contents->end;
    return TRUE;
}

void der_put(GString *to, guint8 tag, const void *contents, gsize length)
{
    guint bytes = length_bytes(length);
    g_string_append_c(to, (char)tag);
    g_string_append_c(to, (char)(bytes > 0 ? 0x80 | bytes : length));
    for (guint i = bytes; i > 0; i--)
        g_string_append_c(to, (char)(length >> (8 * (i - 1)) & 0xff));
    g_string_append_len(to, contents, (gssize)length);
}
