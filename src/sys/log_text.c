#include "sys/log_text.h"

/* Bytes of the UTF-8 character at TEXT, by its first byte; 0: none starts there. */
static size_t sequence_length(const unsigned char *text, size_t left)
{
    size_t length = *text < 0x80 ? 1 : *text < 0xc2 ? 0 : *text < 0xe0 ? 2 : *text < 0xf0 ? 3 : 4;
    if (*text > 0xf4 || length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

static int is_control(const unsigned char *text, size_t length)
{
    if (length == 1)
        return *text < 0x20 || *text == 0x7f;
    return length == 2 && text[0] == 0xc2 && text[1] < 0xa0;
}

size_t log_text_escape(char *out, size_t room, const char *text, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    size_t used = 0;
    for (size_t at = 0; at < length;) {
        const unsigned char *from = (const unsigned char *)text + at;
        size_t size = sequence_length(from, length - at);
        int escaped = !size || is_control(from, size);
        size = size ? size : 1;
        if (used + size * (escaped ? 4 : 1) >= room)
            break;
        for (size_t i = 0; i < size; i++) {
            if (escaped) {
                out[used++] = '\\';
                out[used++] = 'x';
                out[used++] = digits[from[i] >> 4];
                out[used++] = digits[from[i] & 15];
            } else {
                out[used++] = (char)from[i];
            }
        }
        at += size;
    }
    out[used] = '\0';
    return used;
}
