/*
 * Heads of HTTP/2 messages (RFC 9113, 8) as heads of HTTP/1.1 that say the same (RFC 9112), and
 * back: so what reads, checks and changes heads is there once, for both. nghttp2 has checked them,
 * but what would make another head of the text is refused here again. Plain functions over buffers.
 */
#pragma once

#include <glib.h>

#include "proto/http_message.h"

enum h2_kind { H2_REQUEST, H2_RESPONSE, H2_TRAILERS };
enum h2_pseudo { H2_METHOD, H2_SCHEME, H2_AUTHORITY, H2_PATH, H2_STATUS, N_H2_PSEUDO };

/* A head whose fields come one by one. None, when all of it is 0. */
typedef struct {
    GByteArray *pseudo[N_H2_PSEUDO]; /* their values; NULL: missing */
    GByteArray *host;                /* of a field "host" */
    GByteArray *fields;              /* lines of all others */
    gsize size;                      /* of all names and values */
    const char *wrong;               /* NULL: nothing so far */
} h2_head;

void h2_head_add(h2_head *self, const void *name, gsize name_length, const void *value,
                 gsize value_length);
/* Wipes it: an answer may hold a secret. */
void h2_head_clear(h2_head *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(h2_head, h2_head_clear)

/* The text, with its empty line; trailers have no first line. NULL with *WHY and the *STATUS that
 * answers such a request. */
GByteArray *h2_head_text(const h2_head *self, enum h2_kind kind, unsigned *status,
                         const char **why);

typedef struct {
    struct http_text name, value;
} h2_field;
/* The fields of such a text, of which a request and a response may have been read as those of
 * HTTP/1.1. They are in HEAD, with names in any case. An array of h2_field. */
GArray *h2_head_fields(enum h2_kind kind, const char *head, gsize length);
