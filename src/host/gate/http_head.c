#include "host/gate/http_head.h"

#include <stdbool.h>
#include <string.h>

#include "proto/http_fields.h"

#define CLOSE "Connection: close\r\n"

static bool is_of_connection(struct http_text line)
{
    struct http_text name, value;
    return http_split_field(line, &name, &value) &&
           (http_is(name, "Connection") || http_is(name, "Proxy-Connection") ||
            http_is(name, "Keep-Alive") || http_is(name, "Upgrade") ||
            http_is(name, "HTTP2-Settings"));
}

size_t http_head_write(const uint8_t *data, size_t length, char *out)
{
    const char *text = (const char *)data;
    size_t at = 0, used = 0, begin = 0;
    struct http_text line;
    while (http_next_line(text, length, &at, &line)) {
        if (line.length == 0) {
            memcpy(out + used, CLOSE, sizeof CLOSE - 1);
            used += sizeof CLOSE - 1;
        }
        if (!is_of_connection(line)) {
            memcpy(out + used, text + begin, at - begin);
            used += at - begin;
        }
        begin = at;
    }
    return used;
}
