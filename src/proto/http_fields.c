#include "proto/http_fields.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

bool http_next_line(const char *data, size_t size, size_t *at, struct http_text *line)
{
    const char *end = memchr(data + *at, '\n', size - *at);
    if (!end || end == data + *at || end[-1] != '\r')
        return false;
    *line = (struct http_text){data + *at, (size_t)(end - 1 - (data + *at))};
    *at = (size_t)(end + 1 - data);
    return true;
}

bool http_is_token(const char *text, size_t length)
{
    static const char allowed[] = "!#$%&'*+-.^_`|~0123456789"
                                  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    for (size_t i = 0; i < length; i++)
        if (!text[i] || !strchr(allowed, text[i]))
            return false;
    return length > 0;
}

bool http_is_clean(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (((unsigned char)text[i] < 0x20 && text[i] != '\t') || text[i] == 0x7f)
            return false;
    return true;
}

bool http_is_request(struct http_text line)
{
    const char *space = memchr(line.text, ' ', line.length);
    if (!space)
        return false;
    size_t method = (size_t)(space - line.text);
    static const char version[] = " HTTP/1.";
    size_t tail = sizeof version; /* with one digit */
    if (!http_is_token(line.text, method) || line.length < method + 2 + tail ||
        !http_is_clean(line.text, line.length))
        return false;
    const char *target = space + 1, *end = line.text + line.length - tail;
    return memcmp(end, version, tail - 1) == 0 && (end[tail - 1] == '0' || end[tail - 1] == '1') &&
           !memchr(target, ' ', (size_t)(end - target)) &&
           (target[0] == '/' || (target[0] == '*' && end == target + 1));
}

static struct http_text trimmed(struct http_text text)
{
    while (text.length && (*text.text == ' ' || *text.text == '\t')) {
        text.text++;
        text.length--;
    }
    while (text.length && (text.text[text.length - 1] == ' ' || text.text[text.length - 1] == '\t'))
        text.length--;
    return text;
}

bool http_split_field(struct http_text line, struct http_text *name, struct http_text *value)
{
    const char *colon = memchr(line.text, ':', line.length);
    if (!colon)
        return false;
    size_t length = (size_t)(colon - line.text);
    if (!http_is_token(line.text, length) || !http_is_clean(line.text, line.length))
        return false;
    *name = (struct http_text){line.text, length};
    *value = (struct http_text){colon + 1, line.length - length - 1};
    *value = trimmed(*value);
    return true;
}

bool http_is_exactly(struct http_text text, const char *word)
{
    return text.length == strlen(word) && memcmp(text.text, word, text.length) == 0;
}

bool http_is(struct http_text text, const char *word)
{
    return text.length == strlen(word) && strncasecmp(text.text, word, text.length) == 0;
}

static bool is_like(struct http_text text, const char *word)
{
    for (size_t i = 0; i < text.length; i++) {
        char c = text.text[i] == '_' ? '-' : (char)tolower((unsigned char)text.text[i]);
        if (c != word[i])
            return false;
    }
    return !word[text.length];
}

bool http_is_like_any(struct http_text text, const char *const *words)
{
    while (*words && !is_like(text, *words))
        words++;
    return *words != NULL;
}

/* For another one than UTF-8. Frameworks such as Spring answer in the charset that a parameter of
 * Accept names, which may be one of EBCDIC. */
static bool asks_for_charset(struct http_text value)
{
    static const char word[] = "charset", wanted[] = "utf-8";
    const char *end = value.text + value.length;
    for (const char *at = value.text; (size_t)(end - at) >= strlen(word); at++) {
        if (strncasecmp(at, word, strlen(word)) != 0)
            continue;
        const char *is = at + strlen(word);
        is += is < end && *is == '=';
        is += is < end && *is == '"';
        if ((size_t)(end - is) < strlen(wanted) || strncasecmp(is, wanted, strlen(wanted)) != 0)
            return true;
        is += strlen(wanted);
        if (is < end && !strchr("\",; \t", *is))
            return true;
    }
    return false;
}

bool http_asks_for_coding(struct http_text name, struct http_text value)
{
    static const char *const names[] = {"accept-encoding",
                                        "grpc-accept-encoding",
                                        "connect-accept-encoding",
                                        "sec-websocket-extensions",
                                        "a-im",
                                        "accept-charset",
                                        NULL};
    return http_is_like_any(name, names) || (is_like(name, "accept") && asks_for_charset(value)) ||
           (is_like(name, "te") && !http_is(value, "trailers"));
}

bool http_next_element(struct http_text *list, struct http_text *element)
{
    if (!list->text)
        return false;
    const char *comma = memchr(list->text, ',', list->length);
    size_t length = comma ? (size_t)(comma - list->text) : list->length;
    *element = trimmed((struct http_text){list->text, length});
    *list =
        comma ? (struct http_text){comma + 1, list->length - length - 1} : (struct http_text){0};
    return true;
}

bool http_read_host(struct http_text value, uint16_t port_missing, char host[HOST_NAME_SIZE],
                    uint16_t *port)
{
    const char *colon = memchr(value.text, ':', value.length);
    size_t length = colon ? (size_t)(colon - value.text) : value.length;
    unsigned number = colon ? 0 : port_missing;
    for (const char *c = colon ? colon + 1 : NULL; c && c < value.text + value.length; c++) {
        if (*c < '0' || *c > '9' || number > UINT16_MAX)
            return false;
        number = number * 10 + (unsigned)(*c - '0');
    }
    *port = (uint16_t)number;
    return number > 0 && number <= UINT16_MAX && host_name_normalise(value.text, length, host) == 0;
}
