#include "host/gate/http_body.h"

#include <stdbool.h>

static int hex_digit(uint8_t c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static bool take_digit(struct http_body *self, uint8_t c)
{
    int digit = hex_digit(c);
    if (digit < 0 || self->left > UINT64_MAX >> 4)
        return false;
    self->left = self->left << 4 | (unsigned)digit;
    self->part = BODY_SIZE_MORE;
    return true;
}

static bool take_mark(struct http_body *self, uint8_t c, uint8_t mark, enum http_body_part next)
{
    self->part = next;
    return c == mark;
}

/* A byte that is not data. FALSE: it must not be there. */
static bool take_byte(struct http_body *self, uint8_t c)
{
    switch (self->part) {
    case BODY_SIZE:
        return take_digit(self, c);
    case BODY_SIZE_MORE:
        return c == '\r' ? take_mark(self, c, '\r', BODY_SIZE_LF) : take_digit(self, c);
    case BODY_SIZE_LF:
        return take_mark(self, c, '\n', self->left ? BODY_CHUNK_DATA : BODY_LAST_CR);
    case BODY_CHUNK_CR:
        return take_mark(self, c, '\r', BODY_CHUNK_LF);
    case BODY_CHUNK_LF:
        return take_mark(self, c, '\n', BODY_SIZE);
    case BODY_LAST_CR:
        return take_mark(self, c, '\r', BODY_LAST_LF);
    case BODY_LAST_LF:
        return take_mark(self, c, '\n', BODY_END);
    case BODY_DATA:
    case BODY_CHUNK_DATA:
    case BODY_END:
        break;
    }
    return false;
}

ssize_t http_body_take(struct http_body *self, const void *data, size_t length)
{
    const uint8_t *bytes = data;
    size_t at = 0;
    while (at < length && self->part != BODY_END) {
        if (self->part != BODY_DATA && self->part != BODY_CHUNK_DATA) {
            if (!take_byte(self, bytes[at++]))
                return -1;
            continue;
        }
        size_t here = length - at < self->left ? length - at : (size_t)self->left;
        at += here;
        self->left -= here;
        if (self->left == 0)
            self->part = self->part == BODY_DATA ? BODY_END : BODY_CHUNK_CR;
    }
    return (ssize_t)at;
}
