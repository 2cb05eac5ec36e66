/*
 * What a client sends to a token endpoint (RFC 6749, 4.1.3 and 6): as a form, or as JSON. Plain
 * functions over a buffer.
 */
#pragma once

#include <glib.h>

#include "ssh-agent/store/secret.h"

/* Most bytes of it. */
#define TOKEN_REQUEST_MAX ((gsize)64 << 10)

enum token_grant {
    GRANT_LOGIN,   /* for a code, which the user has got in a browser */
    GRANT_REFRESH, /* for a refresh token */
    GRANT_OTHER    /* not known, such as an exchange of a token for a key (RFC 8693) */
};

typedef struct {
    enum token_grant grant;
    gboolean is_json;
    gboolean is_long; /* asks for a token that lasts as long as it says, without a refresh token */
    struct json_t *members; /* of a form: texts */
} token_request;
void token_request_clear(token_request *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(token_request, token_request_clear)

/* NULL, or why it must not pass, with SELF empty. */
const char *token_request_read(token_request *self, const char *body, gsize length);
/* Its refresh token; NULL: it has none. */
const char *token_request_token(const token_request *self);
/* Who asks; "": it does not say. */
const char *token_request_client(const token_request *self);
/*
 * Writes it anew: as a server reads it by the Content-Type of token_request_type() alone, whatever
 * else the box's bytes could have meant. TOKEN takes the place of the refresh token; NULL: it
 * stays. With TOKEN it may ask for all the scopes of GRANTED, which is NULL when nothing is known,
 * or say nothing: a box must not narrow what others have.
 */
secret *token_request_write(token_request *self, const secret *token, const char *granted);
const char *token_request_type(const token_request *self);
