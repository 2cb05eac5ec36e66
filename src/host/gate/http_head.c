#include "host/gate/http_head.h"

#include <stdbool.h>
#include <string.h>

#include "proto/http_fields.h"

#define HTTP_PORT 80
#define CLOSE "Connection: close\r\n"

static enum head_state wrong_because(const char **why, const char *reason)
{
    *why = reason;
    return HEAD_WRONG;
}

static bool read_length(struct http_text value, struct http_body *body)
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

static const char *read_field(struct http_text name, struct http_text value, struct seen *seen,
                              struct http_head *head)
{
    if (http_is(name, "Host")) {
        if (seen->host || !http_read_host(value, HTTP_PORT, head->host, &head->port))
            return "its Host is not one full name";
        seen->host = true;
    } else if (http_is(name, "Content-Length")) {
        if (seen->length || !read_length(value, &head->body))
            return "its Content-Length is not one number";
        seen->length = true;
    } else if (http_is(name, "Transfer-Encoding")) {
        if (seen->encoding || !http_is(value, "chunked"))
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
    struct http_text line, name, value;
    while (http_next_line(data, size, &at, &line)) {
        if (line.length == 0) {
            head->length = at;
            return end_fields(&seen, is_old, head, why);
        }
        if (!http_split_field(line, &name, &value))
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
    struct http_text line;
    *head = (struct http_head){0};
    enum head_state state = HEAD_INCOMPLETE;
    if (size == 0)
        return state;
    if (http_next_line(text, size, &at, &line))
        state = http_is_request(line)
                    ? read_fields(text, size, at, line.text[line.length - 1] == '0', head, why)
                    : wrong_because(why, "it is not a request of HTTP/1 for a path");
    else if (memchr(text, '\n', size) || !http_is_clean(text, size - 1))
        state = wrong_because(why, "it is not HTTP/1");
    if (state == HEAD_INCOMPLETE && size >= HTTP_HEAD_MAX)
        state = wrong_because(why, "the head of its request is too long");
    return state;
}

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
