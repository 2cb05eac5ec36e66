#include "host/secrets/message.h"

#include <string.h>

#include "proto/http_fields.h"

/* Digits of a length: less than UINT64_MAX. */
#define LENGTH_DIGITS_MAX 18

/* What the fields of a head say, read while they pass. */
struct fields {
    uint16_t port; /* of a Host without one */
    bool has_length, is_chunked, has_host, names_upgrade, connection_upgrade;
};

static enum head_state wrong_because(const char **why, const char *reason)
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

/* NULL, or what is wrong with it. */
static const char *read_field(struct http_text name, struct http_text value, struct message *self,
                              struct fields *seen)
{
    if (http_is(name, "Content-Length")) {
        if (seen->has_length || !read_length(value, &self->body_length))
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
    } else if (http_is(name, "Connection")) {
        seen->connection_upgrade |= has_element(value, "upgrade");
    }
    return NULL;
}

static enum head_state read_fields(const char *data, size_t size, size_t at, struct message *self,
                                   struct fields *seen, const char **why)
{
    struct http_text line, name, value;
    while (http_next_line(data, size, &at, &line)) {
        if (line.length == 0) {
            self->length = at;
            self->asks_upgrade = seen->names_upgrade && seen->connection_upgrade;
            if (seen->is_chunked && seen->has_length)
                return wrong_because(why, "it has a Content-Length and a Transfer-Encoding");
            return HEAD_COMPLETE;
        }
        const char *wrong = http_split_field(line, &name, &value)
                                ? read_field(name, value, self, seen)
                                : "it has a malformed field";
        if (wrong)
            return wrong_because(why, wrong);
    }
    if (memchr(data + at, '\n', size - at))
        return wrong_because(why, "it has a line that does not end with CR LF");
    return size < MESSAGE_HEAD_MAX ? HEAD_INCOMPLETE : wrong_because(why, "its head is too long");
}

/* The first line of DATA, at *LINE; *AT is then behind it. */
static enum head_state read_first_line(const char *data, size_t size, size_t *at,
                                       struct http_text *line, const char **why)
{
    *at = 0;
    if (http_next_line(data, size, at, line))
        return HEAD_COMPLETE;
    if (memchr(data, '\n', size) || (size > 0 && !http_is_clean(data, size - 1)))
        return wrong_because(why, "it is not HTTP/1");
    return size < MESSAGE_HEAD_MAX ? HEAD_INCOMPLETE : wrong_because(why, "its head is too long");
}

static bool is_version_0(struct http_text line)
{
    return line.text[line.length - 1] == '0';
}

enum head_state message_read_request(const char *data, size_t size, uint16_t port,
                                     struct message *self, const char **why)
{
    size_t at;
    struct http_text line;
    struct fields seen = {.port = port};
    *self = (struct message){.status = 400};
    enum head_state state = read_first_line(data, size, &at, &line, why);
    if (state != HEAD_COMPLETE)
        return state;
    const char *space = memchr(line.text, ' ', line.length);
    struct http_text method = {line.text, space ? (size_t)(space - line.text) : 0};
    /* TRACE answers with the fields of the request (RFC 9110, 9.3.8). */
    if (http_is(method, "TRACE") || http_is(method, "TRACK") || http_is(method, "CONNECT")) {
        self->status = 405;
        return wrong_because(why, "TRACE and CONNECT do not pass");
    }
    if (!http_is_request(line))
        return wrong_because(why, "it is not a request of HTTP/1 for a path");
    self->is_head_request = http_is(method, "HEAD");
    state = read_fields(data, size, at, self, &seen, why);
    if (state != HEAD_COMPLETE)
        return state;
    if (!seen.has_host)
        return wrong_because(why, "it has no Host");
    if (seen.is_chunked && is_version_0(line))
        return wrong_because(why, "HTTP/1.0 has no chunks");
    self->body = seen.is_chunked ? BODY_CHUNKED : seen.has_length ? BODY_LENGTH : BODY_NONE;
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

enum head_state message_read_response(const char *data, size_t size, const struct message *request,
                                      struct message *self, const char **why)
{
    size_t at;
    struct http_text line;
    struct fields seen = {0};
    *self = (struct message){0};
    enum head_state state = read_first_line(data, size, &at, &line, why);
    if (state != HEAD_COMPLETE)
        return state;
    self->status = read_status(line);
    if (self->status == 0)
        return wrong_because(why, "it is not HTTP/1");
    if (self->status == 101 && !request->asks_upgrade)
        return wrong_because(why, "it switches to another protocol, which nobody asked for");
    state = read_fields(data, size, at, self, &seen, why);
    if (state != HEAD_COMPLETE)
        return state;
    if (self->status < 200 || self->status == 204 || self->status == 304 ||
        request->is_head_request)
        self->body = BODY_NONE;
    else
        self->body = seen.is_chunked   ? BODY_CHUNKED
                     : seen.has_length ? BODY_LENGTH
                                       : BODY_UNTIL_CLOSE;
    return HEAD_COMPLETE;
}

/* Bodies. */

/* Most bytes of a chunk's first line, and of all trailers. */
#define CHUNK_LINE_MAX 4096
#define CHUNK_DIGITS_MAX 15

enum chunk_part {
    CHUNK_SIZE,
    CHUNK_EXTENSION,
    CHUNK_SIZE_LF,
    CHUNK_CONTENT,
    CHUNK_CR,
    CHUNK_LF,
    CHUNK_TRAILER_BEGIN, /* of a line */
    CHUNK_TRAILER,
    CHUNK_TRAILER_LF,
    CHUNK_LAST_LF,
    CHUNK_END,
};

void message_body_start(struct message_body *self, const struct message *message)
{
    *self = (struct message_body){.kind = message->body};
    if (message->body == BODY_LENGTH)
        self->left = message->body_length;
}

bool message_body_has_ended(const struct message_body *self)
{
    switch (self->kind) {
    case BODY_NONE:
        return true;
    case BODY_LENGTH:
        return self->left == 0;
    case BODY_CHUNKED:
        return self->part == CHUNK_END;
    case BODY_UNTIL_CLOSE:
        return false;
    }
    return true;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static int expect(struct message_body *self, char c, char wanted, enum chunk_part next)
{
    self->part = next;
    return c == wanted ? 0 : -1;
}

/* A line ends with CR LF, and no parser may see another end in it. */
static int in_line(struct message_body *self, char c, enum chunk_part at_cr)
{
    if (++self->line > CHUNK_LINE_MAX)
        return -1;
    if (c == '\r')
        self->part = at_cr;
    return c == '\r' || http_is_clean(&c, 1) ? 0 : -1;
}

static int size_digit(struct message_body *self, char c)
{
    int digit = hex_digit(c);
    if (digit >= 0) {
        self->left = self->left * 16 + (uint64_t)digit;
        return ++self->line <= CHUNK_DIGITS_MAX ? 0 : -1;
    }
    if (self->line == 0 || (c != '\r' && c != ';'))
        return -1;
    self->part = c == '\r' ? CHUNK_SIZE_LF : CHUNK_EXTENSION;
    return 0;
}

static int size_ends(struct message_body *self, char c)
{
    self->line = 0;
    return expect(self, c, '\n', self->left > 0 ? CHUNK_CONTENT : CHUNK_TRAILER_BEGIN);
}

/* One byte that frames. */
static int frame(struct message_body *self, char c)
{
    switch ((enum chunk_part)self->part) {
    case CHUNK_SIZE:
        return size_digit(self, c);
    case CHUNK_EXTENSION:
        return in_line(self, c, CHUNK_SIZE_LF);
    case CHUNK_SIZE_LF:
        return size_ends(self, c);
    case CHUNK_CR:
        return expect(self, c, '\r', CHUNK_LF);
    case CHUNK_LF:
        return expect(self, c, '\n', CHUNK_SIZE);
    case CHUNK_TRAILER_BEGIN:
        self->part = CHUNK_TRAILER;
        return in_line(self, c, CHUNK_LAST_LF);
    case CHUNK_TRAILER:
        return in_line(self, c, CHUNK_TRAILER_LF);
    case CHUNK_TRAILER_LF:
        return expect(self, c, '\n', CHUNK_TRAILER_BEGIN);
    case CHUNK_LAST_LF:
        return expect(self, c, '\n', CHUNK_END);
    case CHUNK_CONTENT:
    case CHUNK_END:
        break;
    }
    return -1;
}

/* Trailers are fields, which are contents as well for who looks for a text. */
static bool is_content_part(const struct message_body *self)
{
    return self->kind != BODY_CHUNKED || self->part == CHUNK_CONTENT ||
           self->part >= CHUNK_TRAILER_BEGIN;
}

ssize_t message_body_next(struct message_body *self, const char *data, size_t size,
                          bool *is_content)
{
    *is_content = is_content_part(self);
    if (message_body_has_ended(self))
        return 0;
    if (self->kind == BODY_UNTIL_CLOSE)
        return (ssize_t)size;
    if (self->kind == BODY_LENGTH || self->part == CHUNK_CONTENT) {
        size_t part = size < self->left ? size : (size_t)self->left;
        self->left -= part;
        if (self->kind == BODY_CHUNKED && self->left == 0)
            self->part = CHUNK_CR;
        return (ssize_t)part;
    }
    size_t used = 0;
    while (used < size && is_content_part(self) == *is_content && self->part != CHUNK_CONTENT &&
           self->part != CHUNK_END)
        if (frame(self, data[used++]) < 0)
            return -1;
    return (ssize_t)used;
}
