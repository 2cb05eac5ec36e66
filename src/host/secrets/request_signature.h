/*
 * Requests that a box has signed with placeholders (sigv4.h), and their signatures with the
 * secrets. The box's own signature is checked first: so what is signed anew is what its client has
 * signed, in the form that this one uses.
 */
#pragma once

#include "host/secrets/held_secret.h"
#include "host/secrets/sigv4.h"

typedef struct {
    const signing_credentials *with; /* NULL: it is not signed with placeholders */
    sigv4_request request;
    enum sigv4_form form;
    char body[SIGV4_HEX + 1]; /* its hash, where that is signed */
} request_signature;
void request_signature_clear(request_signature *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(request_signature, request_signature_clear)

/* Reads HEAD, a request to a host that gets HERE, at the time NOW. NULL; or why it must not pass.
 */
const char *request_signature_read(const GPtrArray *here, const char *head, gsize length,
                                   gint64 now, request_signature *self);
/* TRUE when the whole body must be there before the head can be signed. */
gboolean request_signature_needs_body(const request_signature *self);
/* Checks the box's signature of HEAD. BODY: all of the body, where that is needed. */
const char *request_signature_check(request_signature *self, const char *head, gsize length,
                                    const void *body, gsize body_length);

/*
 * Adds the fields with which the request is signed to HEAD, which has all others and no empty line.
 * The new signature; NULL: HEAD cannot be signed.
 */
secret *request_signature_add(const request_signature *self, GByteArray *head);
