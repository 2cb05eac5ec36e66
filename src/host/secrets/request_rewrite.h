/*
 * Puts secrets into the head of a request in place of their placeholders: each only in the field or
 * parameter that its definition names, as a whole, for a host that it names. Plain functions over a
 * buffer.
 */
#pragma once

#include <glib.h>

#include "host/secrets/held_secret.h"
#include "host/secrets/request_signature.h"

typedef struct {
    const GPtrArray *all;     /* of held_secret: every secret of the box */
    const GPtrArray *here;    /* those that this host may get */
    const held_secret *login; /* of HERE, which this request may use; NULL: none */
    const char *host;         /* the new value of Host; NULL: it stays */
    gboolean always;          /* HERE's first goes into the request, whatever stands in its place */
    const request_signature *signature; /* of the head, checked; NULL: it is signed with nothing */
} rewrite_rules;

typedef struct {
    GByteArray *head;        /* the new one */
    const held_secret *used; /* NULL: none */
    const held_secret
        *wrong;    /* whose placeholder is where it must not be: the request must not pass */
    secret *coded; /* what was sent for USED, where that is not its value: coded, or a signature */
} rewritten;
void rewritten_clear(rewritten *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(rewritten, rewritten_clear)

/*
 * Rewrites the LENGTH bytes of HEAD, which http_read_request() took. The answer is asked for
 * without a content coding, in which nobody could look for a secret, and in one piece or part.
 */
void request_rewrite(const rewrite_rules *rules, const char *head, gsize length, rewritten *result);

/* The secret whose placeholder is in TEXT, or in the credentials of "Basic" that it holds; NULL. */
const held_secret *placeholder_find(const GPtrArray *all, const char *text, gsize length);
