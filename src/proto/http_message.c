#include "proto/http_message.h"

#include <string.h>

#include "proto/http_fields.h"

/* Digits of a length: less than UINT64_MAX. */
#define LENGTH_DIGITS_MAX 18

/* What the fields of a head say, read while they pass. */
struct fields {
    uint16_t port; /* of a Host without one */
    bool has_length, is_chunked, has_host, names_upgrade, connection_upgrade;
};

static enum head_state head_wrong_because(const char **why, const char *reason)
{
    *why = reason;
    return HEAD_WRONG;
}

static bool read_length(struct http_text value, uint64_t *length)
{
    *length = 0;
    for (size_t i = 0; i < value.length; i++) {
        if (value.text[i] < '0' || value.text[i] > '9')
            return false;
        *length = *length * 10 + (uint64_t)(value.text[i] - '0');
    }
    return value.length > 0 && value.length <= LENGTH_DIGITS_MAX;
}

static bool has_element(struct http_text list, const char *word)
{
    struct http_text element;
    while (http_next_element(&list, &element))
        if (http_is(element, word))
            return true;
    return false;
}

/* By which a server takes another method or path, reads or writes a second one (RFC 4918, 10.3), or
 * goes on in another protocol. */
static bool is_override(struct http_text name)
{
    static const char *const names[] = {
        "x-http-method-override", "x-http-method",   "x-method-override", "x-original-method",
        "x-original-url",         "x-original-uri",  "x-rewrite-url",     "x-rewrite-uri",
        "x-forwarded-method",     "x-forwarded-uri", "destination",       "x-copy-from",
        "x-amz-copy-source",      "upgrade",         "http2-settings",    NULL};
    return http_is_like_any(name, names);
}

/* NULL, or what is wrong with it. */
static const char *read_field(struct http_text name, struct http_text value,
                              struct http_message *self, struct fields *seen)
{
    if (http_is(name, "Content-Length")) {
        if (seen->has_length || !read_length(value, &self->body.left))
            return "its Content-Length is not one number";
        seen->has_length = true;
    } else if (http_is(name, "Transfer-Encoding")) {
        if (seen->is_chunked || !http_is(value, "chunked"))
            return "its Transfer-Encoding is not 'chunked'";
        seen->is_chunked = true;
    } else if (http_is(name, "Host")) {
        if (seen->has_host || !http_read_host(value, seen->port, self->host, &self->port))
            return "its Host is not one full name";
        seen->has_host = true;
    } else if (http_is(name, "Upgrade")) {
        seen->names_upgrade = true;
    } else if (http_is(name, "Expect")) {
        self->asks_continue = http_is(value, "100-continue");
    } else if (http_is(name, "Connection")) {
        seen->connection_upgrade |= has_element(value, "upgrade");
    }
    if (is_override(name)) {
        self->overrides = true;
        self->reroutes |= !http_is(name, "Upgrade") || !http_is(value, "websocket");
    }
    return NULL;
}

static enum head_state read_fields(const char *data, size_t size, size_t at,
                                   struct http_message *self, struct fields *seen, const char **why)
{
    struct http_text line, name, value;
    while (http_next_line(data, size, &at, &line)) {
        if (line.length == 0) {
            self->length = at;
            self->asks_upgrade = seen->names_upgrade && seen->connection_upgrade;
            if (seen->is_chunked && seen->has_length)
                return head_wrong_because(why, "it has a Content-Length and a Transfer-Encoding");
            return HEAD_COMPLETE;
        }
        const char *wrong = http_split_field(line, &name, &value)
                                ? read_field(name, value, self, seen)
                                : "it has a malformed field";
        if (wrong)
            return head_wrong_because(why, wrong);
    }
    if (memchr(data + at, '\n', size - at))
        return head_wrong_because(why, "it has a line that does not end with CR LF");
    return size < HTTP_HEAD_MAX ? HEAD_INCOMPLETE : head_wrong_because(why, "its head is too long");
}

/* The first line of DATA, at *LINE; *AT is then behind it. */
static enum head_state read_first_line(const char *data, size_t size, size_t *at,
                                       struct http_text *line, const char **why)
{
    *at = 0;
    if (size == 0)
        return HEAD_INCOMPLETE;
    if (http_next_line(data, size, at, line))
        return HEAD_COMPLETE;
    if (memchr(data, '\n', size) || !http_is_clean(data, size - 1))
        return head_wrong_because(why, "it is not HTTP/1");
    return size < HTTP_HEAD_MAX ? HEAD_INCOMPLETE : head_wrong_because(why, "its head is too long");
}

static bool is_version_0(struct http_text line)
{
    return line.text[line.length - 1] == '0';
}

enum head_state http_read_request(const char *data, size_t size, uint16_t port,
                                  struct http_message *self, const char **why)
{
    size_t at;
    struct http_text line;
    struct fields seen = {.port = port};
    *self = (struct http_message){0};
    enum head_state state = read_first_line(data, size, &at, &line, why);
    if (state != HEAD_COMPLETE)
        return state;
    if (!http_is_request(line))
        return head_wrong_because(why, "it is not a request of HTTP/1 for a path");
    const char *space = memchr(line.text, ' ', line.length);
    self->method = (struct http_text){line.text, (size_t)(space - line.text)};
    self->target =
        (struct http_text){space + 1, line.length - self->method.length - 1 - strlen(" HTTP/1.1")};
    /* Methods are case-sensitive (RFC 9110, 9.1): who takes "head" for another one answers with a
     * body. */
    self->is_head_request = http_is_exactly(self->method, "HEAD");
    self->asks_trace = http_is(self->method, "TRACE") || http_is(self->method, "TRACK");
    state = read_fields(data, size, at, self, &seen, why);
    if (state != HEAD_COMPLETE)
        return state;
    if (!seen.has_host)
        return head_wrong_because(why, "it has no Host");
    if (seen.is_chunked && is_version_0(line))
        return head_wrong_because(why, "HTTP/1.0 has no chunks");
    self->body.kind = seen.is_chunked ? BODY_CHUNKED : seen.has_length ? BODY_LENGTH : BODY_NONE;
    return HEAD_COMPLETE;
}

/* "HTTP/1.x NNN REASON". 0 when it is not one. */
static unsigned read_status(struct http_text line)
{
    static const char version[] = "HTTP/1.";
    const char *digit = line.text + sizeof version + 1;
    if (line.length < sizeof version + 4 || memcmp(line.text, version, sizeof version - 1) != 0 ||
        (digit[-2] != '0' && digit[-2] != '1') || digit[-1] != ' ' ||
        !http_is_clean(line.text, line.length) ||
        (line.length > sizeof version + 4 && digit[3] != ' '))
        return 0;
    unsigned status = 0;
    for (int i = 0; i < 3; i++) {
        if (digit[i] < '0' || digit[i] > '9')
            return 0;
        status = status * 10 + (unsigned)(digit[i] - '0');
    }
    return status >= 100 ? status : 0;
}

enum head_state http_read_response(const char *data, size_t size,
                                   const struct http_message *request, struct http_message *self,
                                   const char **why)
{
    size_t at;
    struct http_text line;
    struct fields seen = {0};
    *self = (struct http_message){0};
    enum head_state state = read_first_line(data, size, &at, &line, why);
    if (state != HEAD_COMPLETE)
        return state;
    self->status = read_status(line);
    if (self->status == 0)
        return head_wrong_because(why, "it is not HTTP/1");
    if (self->status == 101 && !request->asks_upgrade)
        return head_wrong_because(why, "it switches to another protocol, which nobody asked for");
    state = read_fields(data, size, at, self, &seen, why);
    if (state != HEAD_COMPLETE)
        return state;
    if (self->status < 200 || self->status == 204 || self->status == 304 ||
        request->is_head_request)
        self->body = (struct http_body){0};
    else
        self->body.kind = seen.is_chunked   ? BODY_CHUNKED
                          : seen.has_length ? BODY_LENGTH
                                            : BODY_UNTIL_CLOSE;
    return HEAD_COMPLETE;
}
