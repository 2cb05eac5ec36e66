#include "sys/log_text.h"

#include "sys/utf8.h"

static int is_control(const unsigned char *text, size_t length)
{
    if (length == 1)
        return *text < 0x20 || *text == 0x7f;
    return utf8_is_c1(text);
}

size_t log_text_escape(char *out, size_t room, const char *text, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    size_t used = 0;
    for (size_t at = 0; at < length;) {
        const unsigned char *from = (const unsigned char *)text + at;
        int valid = utf8_length(from, length - at);
        size_t size = valid > 0 ? (size_t)valid : 1;
        int escaped = valid <= 0 || is_control(from, size);
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
