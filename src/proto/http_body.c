#include "proto/http_body.h"

#include "proto/hex_digit.h"
#include "proto/http_fields.h"

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

bool http_body_has_ended(const struct http_body *self)
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

static int expect(struct http_body *self, char c, char wanted, enum chunk_part next)
{
    self->part = next;
    return c == wanted ? 0 : -1;
}

/* A line ends with CR LF, and no parser may see another end in it. */
static int in_line(struct http_body *self, char c, enum chunk_part at_cr)
{
    if (++self->line > CHUNK_LINE_MAX)
        return -1;
    if (c == '\r')
        self->part = at_cr;
    return c == '\r' || http_is_clean(&c, 1) ? 0 : -1;
}

static int size_digit(struct http_body *self, char c)
{
    int digit = hex_digit(c);
    if (digit >= 0) {
        self->left = self->left * 16 + (uint64_t)digit;
        return ++self->line <= CHUNK_DIGITS_MAX ? 0 : -1;
    }
    bool extends = c == ';' && !self->is_plain && !self->no_extensions;
    if (self->line == 0 || (c != '\r' && !extends))
        return -1;
    self->part = c == '\r' ? CHUNK_SIZE_LF : CHUNK_EXTENSION;
    return 0;
}

static int size_ends(struct http_body *self, char c)
{
    self->line = 0;
    return expect(self, c, '\n', self->left > 0 ? CHUNK_CONTENT : CHUNK_TRAILER_BEGIN);
}

/* One byte that frames. */
static int frame(struct http_body *self, char c)
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
        if (self->is_plain && c != '\r')
            return -1;
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
static bool is_content_part(const struct http_body *self)
{
    return self->kind != BODY_CHUNKED || self->part == CHUNK_CONTENT ||
           self->part >= CHUNK_TRAILER_BEGIN;
}

ssize_t http_body_next(struct http_body *self, const char *data, size_t size, bool *is_content)
{
    *is_content = is_content_part(self);
    if (http_body_has_ended(self))
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

ssize_t http_body_take(struct http_body *self, const void *data, size_t size)
{
    size_t at = 0;
    bool is_content;
    while (at < size && !http_body_has_ended(self)) {
        ssize_t part = http_body_next(self, (const char *)data + at, size - at, &is_content);
        if (part < 0)
            return -1;
        at += (size_t)part;
    }
    return (ssize_t)at;
}
