/*
 * Phantoms: what a box gets in place of the tokens of a login. As placeholders (placeholder.h) they
 * have the shape of what they stand for, and are worth nothing. As tokens are replaced again and
 * again, by any box that has the login, a phantom says which token of which generation it stands
 * for, behind a tag that is always the same. Plain functions.
 */
#pragma once

#include "config/login_services.h"
#include "host/secrets/placeholder.h"

#define PHANTOM_TAG 24
/* Bytes of a token: shorter ones have no room for what a phantom says. */
#define TOKEN_MIN 48
#define TOKEN_MAX ((gsize)16 << 10)

/* Of one login in one box. */
typedef struct {
    guint8 key[PLACEHOLDER_KEY]; /* of the box */
    const char *name;            /* of the login; borrowed */
    const login_service *service;
    char tag[PHANTOM_TAG + 1];
} phantom_maker;
/* NAME is kept. */
void phantom_maker_init(phantom_maker *self, const login_service *service, const char *name,
                        const guint8 key[PLACEHOLDER_KEY]);

/* NULL, or why TOKEN can have no phantom. */
const char *phantom_refusal(const char *token, gsize length);
/*
 * The phantom of TOKEN, which phantom_refusal() took: of the same length and known prefix. One that
 * is a JWT becomes a JWT with those of its claims that the client reads, and a signature that is
 * none. A new string, the same each time; NULL: there is no room for it.
 */
char *phantom_make(const phantom_maker *self, enum login_token which, guint32 generation,
                   const char *token);
/* TRUE when a phantom of this login is in TEXT: of which token, and of which generation. */
gboolean phantom_read(const phantom_maker *self, const char *text, gsize length,
                      enum login_token *which, guint32 *generation);

/* The claims of TOKEN, a JWT (RFC 7519); a new object, or NULL. */
struct json_t *phantom_claims(const char *token);
