/*
 * Subscriptions whose clients log in by OAuth, as data: where tokens are made (RFC 6749), where
 * they are used, and where a client keeps them. A secret with `login = "NAME"` (secret_file.h) is
 * such a login.
 */
#pragma once

#include <glib.h>

#include "proto/http_message.h"

/* What a client does at an endpoint. */
enum login_place {
    LOGIN_ELSEWHERE, /* nothing that has to do with its tokens */
    LOGIN_API,       /* uses the access token: PATH and all below it */
    LOGIN_TOKENS,    /* gets tokens (RFC 6749, 4.1.3), and others in their place (6) */
    LOGIN_REVOKES,   /* ends a login (RFC 7009) */
    LOGIN_MAKES_KEY, /* gets a key that stays when the login has ended */
    LOGIN_AMBIGUOUS, /* asks for a path that a server may read as another one of these */
};

typedef struct {
    const char *host; /* on port 443 */
    const char *path;
    enum login_place place;
} login_endpoint;

/* Tokens, by their names in what a token endpoint answers (RFC 6749, 5.1; OpenID Connect). */
enum login_token { TOKEN_ACCESS, TOKEN_REFRESH, TOKEN_ID, LOGIN_TOKENS_COUNT };
extern const char *const login_token_names[LOGIN_TOKENS_COUNT];

typedef struct {
    const char *name;
    const login_endpoint *endpoints; /* up to one without a host */
    const char *const *hosts;        /* those of the endpoints; NULL-terminated */
    /* Texts with which its tokens begin, or that stand before them: no answer of a host with
     * LOGIN_TOKENS has one, but from there. NULL-terminated. */
    const char *const *marks;
    /* Claims of tokens that are JWTs (RFC 7519) which the client reads, and the names in those that
     * are objects. NULL-terminated. */
    const char *const *claims;
    const char *file;       /* where the client keeps them, below the home */
    const char *state_file; /* NULL, or a file without which the client asks questions first */
    const char *state;      /* what it has then */
} login_service;

/* NULL: there is none. */
const login_service *login_service_find(const char *name);
/* "claude, codex", for messages; a new string. */
char *login_service_names(void);

/* What REQUEST, which a box sends to HOST, is for. */
enum login_place login_service_place(const login_service *self, const char *host,
                                     const struct http_message *request);
/* TRUE when HOST has an endpoint of kind PLACE. */
gboolean login_service_has(const login_service *self, const char *host, enum login_place place);
