/*
 * The tokens of a login: read from what a token endpoint answers (RFC 6749, 5.1), or from the file
 * in which they are kept, and made into the answer that a box gets, with phantoms. Plain functions
 * over a buffer.
 */
#pragma once

#include "host/secrets/phantom.h"
#include "ssh-agent/store/secret.h"

/* Most bytes of an answer, and of the file. */
#define TOKEN_ANSWER_MAX ((gsize)256 << 10)
#define LOGIN_FILE_MAX ((gsize)1 << 20)

typedef struct {
    secret *token[LOGIN_TOKENS_COUNT]; /* NULL: none; with an access token it is a login */
    guint32 generation;                /* of these tokens, from 1 on */
    gint64 expires_at;                 /* the access token, in seconds; 0: nobody knows */
    char *account, *email;             /* whose it is; or NULL */
    char *client;       /* the client_id that they were got with; "": none; NULL: nobody knows */
    char *rest;         /* of the answer, as JSON: nothing in it looks like a token */
    gboolean has_ended; /* the service has refused the refresh token */
    gint64 spent_until; /* login_tokens_may_renew(): in seconds */
} login_tokens;
void login_tokens_clear(login_tokens *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(login_tokens, login_tokens_clear)

/*
 * Reads the LENGTH bytes of BODY, which came at NOW. NULL, or why it must not pass, with SELF
 * empty: it is not understood, or has what looks like a token where nobody knows one.
 */
const char *login_tokens_read_answer(login_tokens *self, const char *body, gsize length,
                                     gint64 now);
/* What came in place of BEFORE: what it does not have stays as it was. The next generation. */
void login_tokens_follow(login_tokens *self, const login_tokens *before);
/* The answer with phantoms at NOW; a new string. NULL: a token has no room for one. */
char *login_tokens_answer(const login_tokens *self, const phantom_maker *maker, gint64 now);
/* The phantom of one of them, or as it was EARLIER generations before; a new string, or NULL. */
char *login_tokens_phantom(const login_tokens *self, const phantom_maker *maker,
                           enum login_token which, guint32 earlier);
/* The scopes that were granted, separated by blanks; a new string, or NULL. */
char *login_tokens_scope(const login_tokens *self);

/* Whether the access token is worth handing out at NOW. */
gboolean login_tokens_are_fresh(const login_tokens *self, gint64 now);
/*
 * Whether they may be renewed at NOW; if so, it is counted. Without a limit a box could get the
 * account locked. Tokens that have not expired may be renewed five times in a row, for a client
 * whose token the service refuses, and then once in five minutes. Those that have expired may be
 * renewed once in ten seconds in the long run, as some services' tokens are short-lived.
 */
gboolean login_tokens_may_renew(login_tokens *self, gint64 now);

/* TRUE when one of the tokens is in TEXT. */
gboolean login_tokens_are_in(const login_tokens *self, const char *text, gsize length);

/* The file (login_tokens.c). FALSE where it is broken. */
gboolean login_tokens_parse(login_tokens *self, const char *text, gsize length);
secret *login_tokens_text(const login_tokens *self);
