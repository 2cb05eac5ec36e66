#include "host/gate/http_head.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define HTTP_PORT 80
#define CLOSE "Connection: close\r\n"

/* A line without its CR LF. */
struct line {
    const char *text;
    size_t length;
};

static enum head_state wrong_because(const char **why, const char *reason)
{
    *why = reason;
    return HEAD_WRONG;
}

/* The line at *AT, which is then behind it. FALSE: there is none that ends with CR LF. */
static bool next_line(const char *data, size_t size, size_t *at, struct line *line)
{
    const char *end = memchr(data + *at, '\n', size - *at);
    if (!end || end == data + *at || end[-1] != '\r')
        return false;
    *line = (struct line){data + *at, (size_t)(end - 1 - (data + *at))};
    *at = (size_t)(end + 1 - data);
    return true;
}

/* RFC 9110, 5.6.2. */
static bool is_token(const char *text, size_t length)
{
    static const char allowed[] = "!#$%&'*+-.^_`|~0123456789"
                                  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    for (size_t i = 0; i < length; i++)
        if (!text[i] || !strchr(allowed, text[i]))
            return false;
    return length > 0;
}

/* TRUE when TEXT has no control character but tab: what a parser may end a line or a text at. */
static bool is_clean(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (((unsigned char)text[i] < 0x20 && text[i] != '\t') || text[i] == 0x7f)
            return false;
    return true;
}

/* "METHOD /PATH HTTP/1.x". The form with a whole URL is for proxies, and names a second host. */
static bool is_request(struct line line)
{
    const char *space = memchr(line.text, ' ', line.length);
    if (!space)
        return false;
    size_t method = (size_t)(space - line.text);
    static const char version[] = " HTTP/1.";
    size_t tail = sizeof version; /* with one digit */
    if (!is_token(line.text, method) || line.length < method + 2 + tail ||
        !is_clean(line.text, line.length))
        return false;
    const char *target = space + 1, *end = line.text + line.length - tail;
    return memcmp(end, version, tail - 1) == 0 && (end[tail - 1] == '0' || end[tail - 1] == '1') &&
           !memchr(target, ' ', (size_t)(end - target)) &&
           (target[0] == '/' || (target[0] == '*' && end == target + 1));
}

/* Splits "NAME: VALUE". FALSE when it is not one, such as a folded line. */
static bool split_field(struct line line, struct line *name, struct line *value)
{
    const char *colon = memchr(line.text, ':', line.length);
    if (!colon)
        return false;
    size_t length = (size_t)(colon - line.text);
    if (!is_token(line.text, length) || !is_clean(line.text, line.length))
        return false;
    *name = (struct line){line.text, length};
    *value = (struct line){colon + 1, line.length - length - 1};
    while (value->length && (*value->text == ' ' || *value->text == '\t')) {
        value->text++;
        value->length--;
    }
    while (value->length &&
           (value->text[value->length - 1] == ' ' || value->text[value->length - 1] == '\t'))
        value->length--;
    return true;
}

static bool is_named(struct line name, const char *word)
{
    return name.length == strlen(word) && strncasecmp(name.text, word, name.length) == 0;
}

static bool read_host(struct line value, struct http_head *head)
{
    const char *colon = memchr(value.text, ':', value.length);
    size_t length = colon ? (size_t)(colon - value.text) : value.length;
    unsigned port = colon ? 0 : HTTP_PORT;
    for (const char *c = colon ? colon + 1 : NULL; c && c < value.text + value.length; c++) {
        if (*c < '0' || *c > '9' || port > UINT16_MAX)
            return false;
        port = port * 10 + (unsigned)(*c - '0');
    }
    head->port = (uint16_t)port;
    return port > 0 && port <= UINT16_MAX &&
           host_name_normalise(value.text, length, head->host) == 0;
}

static bool read_length(struct line value, struct http_body *body)
{
    body->part = BODY_DATA;
    for (size_t i = 0; i < value.length; i++) {
        if (value.text[i] < '0' || value.text[i] > '9' || body->left > UINT64_MAX / 10 - 1)
            return false;
        body->left = body->left * 10 + (unsigned)(value.text[i] - '0');
    }
    if (body->left == 0)
        body->part = BODY_END;
    return value.length > 0;
}

/* Fields that decide where the request ends, and to whom it goes, stand there once at most. */
struct seen {
    bool host, length, encoding;
};

static const char *read_field(struct line name, struct line value, struct seen *seen,
                              struct http_head *head)
{
    if (is_named(name, "Host")) {
        if (seen->host || !read_host(value, head))
            return "its Host is not one full name";
        seen->host = true;
    } else if (is_named(name, "Content-Length")) {
        if (seen->length || !read_length(value, &head->body))
            return "its Content-Length is not one number";
        seen->length = true;
    } else if (is_named(name, "Transfer-Encoding")) {
        if (seen->encoding || !is_named(value, "chunked"))
            return "its Transfer-Encoding is not 'chunked'";
        seen->encoding = true;
    }
    return NULL;
}

static enum head_state end_fields(const struct seen *seen, bool is_old, struct http_head *head,
                                  const char **why)
{
    if (!seen->host)
        return wrong_because(why, "its request has no Host");
    if (!seen->encoding)
        return HEAD_COMPLETE;
    /* RFC 9112, 6.1: servers disagree about the end of such a request. */
    if (seen->length || is_old)
        return wrong_because(why, "its request has two ends");
    head->body.part = BODY_SIZE;
    return HEAD_COMPLETE;
}

/* The empty line ends the head. IS_OLD: of HTTP/1.0. */
static enum head_state read_fields(const char *data, size_t size, size_t at, bool is_old,
                                   struct http_head *head, const char **why)
{
    struct seen seen = {0};
    struct line line, name, value;
    while (next_line(data, size, &at, &line)) {
        if (line.length == 0) {
            head->length = at;
            return end_fields(&seen, is_old, head, why);
        }
        if (!split_field(line, &name, &value))
            return wrong_because(why, "its request has a malformed field");
        const char *wrong = read_field(name, value, &seen, head);
        if (wrong)
            return wrong_because(why, wrong);
    }
    return memchr(data + at, '\n', size - at)
               ? wrong_because(why, "its request has a line that does not end with CR LF")
               : HEAD_INCOMPLETE;
}

enum head_state http_head_parse(const uint8_t *data, size_t size, struct http_head *head,
                                const char **why)
{
    const char *text = (const char *)data;
    size_t at = 0;
    struct line line;
    *head = (struct http_head){0};
    enum head_state state = HEAD_INCOMPLETE;
    if (size == 0)
        return state;
    if (next_line(text, size, &at, &line))
        state = is_request(line)
                    ? read_fields(text, size, at, line.text[line.length - 1] == '0', head, why)
                    : wrong_because(why, "it is not a request of HTTP/1 for a path");
    else if (memchr(text, '\n', size) || !is_clean(text, size - 1))
        state = wrong_because(why, "it is not HTTP/1");
    if (state == HEAD_INCOMPLETE && size >= HTTP_HEAD_MAX)
        state = wrong_because(why, "the head of its request is too long");
    return state;
}

static bool is_of_connection(struct line line)
{
    struct line name, value;
    return split_field(line, &name, &value) &&
           (is_named(name, "Connection") || is_named(name, "Proxy-Connection") ||
            is_named(name, "Keep-Alive") || is_named(name, "Upgrade") ||
            is_named(name, "HTTP2-Settings"));
}

size_t http_head_write(const uint8_t *data, size_t length, char *out)
{
    const char *text = (const char *)data;
    size_t at = 0, used = 0, begin = 0;
    struct line line;
    while (next_line(text, length, &at, &line)) {
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
