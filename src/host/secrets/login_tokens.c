#include "host/secrets/login_tokens.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Longest time for which an access token may be good. */
#define EXPIRES_MAX (10 * 366 * G_GINT64_CONSTANT(86400))
/* An access token that is good for less seconds is not worth handing out. */
#define FRESH_SECONDS 60
/* Renewals, in seconds after which each is forgotten, and how many are remembered. */
#define EARLY_COST 300
#define LATE_COST 10
#define SPENT_MAX (5 * EARLY_COST)
/* Text of so many characters without a blank is no name, address, or id of a thing. */
#define RANDOM_MIN 32
#define UUID_LENGTH 36
#define NAMED_MIN 8

void login_tokens_clear(login_tokens *self)
{
    for (gsize i = 0; i < LOGIN_TOKENS_COUNT; i++)
        secret_free(self->token[i]);
    g_free(self->account);
    g_free(self->email);
    g_free(self->client);
    g_free(self->rest);
    *self = (login_tokens){0};
}

/* What looks like a token. */

static gboolean is_uuid(const char *text, gsize length)
{
    for (gsize i = 0; i < length; i++) {
        gboolean is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (is_dash ? text[i] != '-' : !g_ascii_isxdigit(text[i]))
            return FALSE;
    }
    return length == UUID_LENGTH;
}

static gboolean is_random(const char *word, gsize length)
{
    gboolean has_digit = FALSE, has_letter = FALSE;
    for (gsize i = 0; i < length; i++) {
        has_digit |= g_ascii_isdigit(word[i]);
        has_letter |= g_ascii_isalpha(word[i]);
    }
    return length >= RANDOM_MIN && has_digit && has_letter && !is_uuid(word, length);
}

/* Whatever stands around it. */
static gboolean looks_like_token(const char *text)
{
    static const char alphabet[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/=";
    while (*(text += strcspn(text, alphabet))) {
        gsize length = strspn(text, alphabet);
        if (is_random(text, length) || placeholder_prefix(text, length) > 0)
            return TRUE;
        text += length;
    }
    return FALSE;
}

/* What a member with such a name has is a token, however short it is. */
static gboolean names_token(const char *name)
{
    static const char *const words[] = {"token", "secret", "key",  "jwt",    "assertion",
                                        "code",  "cookie", "pass", "session"};
    g_autofree char *small = g_ascii_strdown(name, -1);
    for (gsize i = 0; i < G_N_ELEMENTS(words); i++)
        if (strstr(small, words[i]))
            return TRUE;
    return FALSE;
}

static gboolean has_token(const char *name, json_t *value)
{
    const char *text = json_string_value(value), *member;
    json_t *each;
    gsize i;
    if (text)
        return looks_like_token(text) ||
               (names_token(name) && strlen(text) >= NAMED_MIN && !is_uuid(text, strlen(text)));
    json_object_foreach (value, member, each) {
        if (looks_like_token(member) || has_token(member, each))
            return TRUE;
    }
    json_array_foreach (value, i, each) {
        if (has_token(name, each))
            return TRUE;
    }
    return FALSE;
}

/* Answers. */

/* Takes a token out of TREE. */
static const char *take_token(login_tokens *self, json_t *tree, enum login_token which)
{
    json_t *value = json_object_get(tree, login_token_names[which]);
    const char *text = json_string_value(value);
    if (!value || json_is_null(value) || (text && !*text)) {
        json_object_del(tree, login_token_names[which]);
        return NULL;
    }
    if (!text)
        return "has a token that is no text";
    if (phantom_refusal(text, strlen(text)))
        return "has a token that cannot be kept: it is too short, too long, or not printable";
    self->token[which] = secret_copy((const guint8 *)text, strlen(text));
    json_object_del(tree, login_token_names[which]);
    return NULL;
}

/* As a number of JSON, or as text. */
static gboolean read_seconds(json_t *value, gint64 *seconds)
{
    const char *text = json_string_value(value);
    guint64 read = 0;
    if (json_is_number(value)) {
        double number = json_number_value(value);
        *seconds = number >= 0 && number <= EXPIRES_MAX ? (gint64)number : -1;
    } else if (text && g_ascii_string_to_unsigned(text, 10, 0, EXPIRES_MAX, &read, NULL)) {
        *seconds = (gint64)read;
    } else {
        return FALSE;
    }
    return *seconds >= 0;
}

static char *copy_member(json_t *tree, const char *object, const char *name)
{
    json_t *from = object ? json_object_get(tree, object) : tree;
    return g_strdup(json_string_value(json_object_get(from, name)));
}

/* Whose it is: as the answer says, or the id token's claims. */
static void read_owner(login_tokens *self, json_t *tree, json_t *claims)
{
    static const char codex[] = "https://api.openai.com/auth";
    self->account = copy_member(tree, "account", "uuid");
    self->email = copy_member(tree, "account", "email_address");
    if (!self->account)
        self->account = copy_member(claims, codex, "chatgpt_account_id");
    if (!self->account)
        self->account = copy_member(claims, NULL, "sub");
    if (!self->email)
        self->email = copy_member(claims, NULL, "email");
}

static json_t *claims_of(const secret *token)
{
    char *text = token ? g_strndup((const char *)token->data, token->length) : NULL;
    json_t *claims = text ? phantom_claims(text) : NULL;
    secret_wipe_and_free(text);
    return claims;
}

static const char *read_times(login_tokens *self, json_t *tree, gint64 now)
{
    json_t *value = json_object_get(tree, "expires_in");
    gint64 seconds = 0;
    if (value && !json_is_null(value)) {
        if (!read_seconds(value, &seconds))
            return "has an expires_in that is no number of seconds";
        self->expires_at = now + seconds;
    } else {
        json_t *claims = claims_of(self->token[TOKEN_ACCESS]);
        json_int_t until = json_integer_value(json_object_get(claims, "exp"));
        self->expires_at = until >= 0 && until - now <= EXPIRES_MAX ? until : 0;
        json_decref(claims);
    }
    json_object_del(tree, "expires_in");
    return NULL;
}

static const char *read_tree(login_tokens *self, json_t *tree, gint64 now)
{
    const char *why = NULL;
    if (!json_is_object(tree))
        return "is not an object of JSON";
    for (gsize i = 0; i < LOGIN_TOKENS_COUNT && !why; i++)
        why = take_token(self, tree, (enum login_token)i);
    why = why ? why : read_times(self, tree, now);
    if (why)
        return why;
    if (!self->token[TOKEN_ACCESS])
        return "has no access token";
    /* It says what a token is ("Bearer"), and is none. */
    json_t *type = json_incref(json_object_get(tree, "token_type"));
    json_object_del(tree, "token_type");
    gboolean is_unknown = has_token("", tree) || (type && has_token("", type));
    if (type)
        json_object_set_new(tree, "token_type", type);
    if (is_unknown)
        return "has what looks like a token in a field that is not known";
    json_t *claims = claims_of(self->token[TOKEN_ID]);
    read_owner(self, tree, claims);
    json_decref(claims);
    char *rest = json_dumps(tree, JSON_COMPACT);
    self->rest = g_strdup(rest);
    free(rest);
    return login_tokens_are_in(self, self->rest, strlen(self->rest))
               ? "has a token in a second field"
               : NULL;
}

const char *login_tokens_read_answer(login_tokens *self, const char *body, gsize length, gint64 now)
{
    *self = (login_tokens){.generation = 1};
    json_set_alloc_funcs(malloc, secret_wipe_and_free);
    json_t *tree =
        length <= TOKEN_ANSWER_MAX ? json_loadb(body, length, JSON_REJECT_DUPLICATES, NULL) : NULL;
    const char *why = read_tree(self, tree, now);
    json_decref(tree);
    if (why)
        login_tokens_clear(self);
    return why;
}

void login_tokens_follow(login_tokens *self, const login_tokens *before)
{
    self->generation = before->generation + 1;
    for (gsize i = TOKEN_REFRESH; i < LOGIN_TOKENS_COUNT; i++)
        if (!self->token[i] && before->token[i])
            self->token[i] = secret_copy(before->token[i]->data, before->token[i]->length);
    if (!self->account)
        self->account = g_strdup(before->account);
    if (!self->email)
        self->email = g_strdup(before->email);
}

char *login_tokens_answer(const login_tokens *self, const phantom_maker *maker, gint64 now)
{
    json_t *tree = json_loads(self->rest ? self->rest : "{}", 0, NULL);
    gboolean done = json_is_object(tree);
    for (gsize i = 0; i < LOGIN_TOKENS_COUNT && done; i++) {
        g_autofree char *phantom = login_tokens_phantom(self, maker, (enum login_token)i, 0);
        if (phantom)
            json_object_set_new(tree, login_token_names[i], json_string(phantom));
        done = phantom || !self->token[i];
    }
    if (self->expires_at > 0)
        json_object_set_new(tree, "expires_in", json_integer(MAX(self->expires_at - now, 0)));
    char *text = done ? json_dumps(tree, JSON_COMPACT) : NULL, *copy = g_strdup(text);
    free(text);
    json_decref(tree);
    return copy;
}

char *login_tokens_phantom(const login_tokens *self, const phantom_maker *maker,
                           enum login_token which, guint32 earlier)
{
    const secret *token = self->token[which];
    if (!token)
        return NULL;
    char *text = g_strndup((const char *)token->data, token->length);
    char *made = phantom_make(maker, which, self->generation - earlier, text);
    secret_wipe_and_free(text);
    return made;
}

char *login_tokens_scope(const login_tokens *self)
{
    json_t *tree = self->rest ? json_loads(self->rest, 0, NULL) : NULL;
    char *scope = copy_member(tree, NULL, "scope");
    json_decref(tree);
    return scope;
}

gboolean login_tokens_are_fresh(const login_tokens *self, gint64 now)
{
    return !self->has_ended && (self->expires_at == 0 || self->expires_at - now > FRESH_SECONDS);
}

gboolean login_tokens_may_renew(login_tokens *self, gint64 now)
{
    gint64 cost = login_tokens_are_fresh(self, now) ? EARLY_COST : LATE_COST;
    gint64 spent = self->spent_until - now;
    /* The clock may have been put back. */
    spent = spent > 0 && spent <= SPENT_MAX ? spent : 0;
    if (spent + cost > SPENT_MAX)
        return FALSE;
    self->spent_until = now + spent + cost;
    return TRUE;
}

gboolean login_tokens_are_in(const login_tokens *self, const char *text, gsize length)
{
    for (gsize i = 0; i < LOGIN_TOKENS_COUNT; i++)
        if (self->token[i] && memmem(text, length, self->token[i]->data, self->token[i]->length))
            return TRUE;
    return FALSE;
}

/* The file in which the tokens of a login are kept. */

static void take_tokens(login_tokens *self, json_t *tree)
{
    for (gsize i = 0; i < LOGIN_TOKENS_COUNT; i++) {
        const char *text = json_string_value(json_object_get(tree, login_token_names[i]));
        if (text && !phantom_refusal(text, strlen(text)))
            self->token[i] = secret_copy((const guint8 *)text, strlen(text));
    }
    self->generation = (guint32)json_integer_value(json_object_get(tree, "generation"));
    self->expires_at = json_integer_value(json_object_get(tree, "expires_at"));
    self->account = g_strdup(json_string_value(json_object_get(tree, "account")));
    self->email = g_strdup(json_string_value(json_object_get(tree, "email")));
    self->client = g_strdup(json_string_value(json_object_get(tree, "client_id")));
    self->spent_until = json_integer_value(json_object_get(tree, "spent_until"));
    self->has_ended = json_is_true(json_object_get(tree, "has_ended"));
    char *rest = json_dumps(json_object_get(tree, "rest"), JSON_COMPACT);
    self->rest = g_strdup(rest);
    free(rest);
}

gboolean login_tokens_parse(login_tokens *self, const char *text, gsize length)
{
    *self = (login_tokens){0};
    json_set_alloc_funcs(malloc, secret_wipe_and_free);
    json_t *tree = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    take_tokens(self, tree);
    json_decref(tree);
    gboolean is_whole = self->token[TOKEN_ACCESS] && self->generation > 0 && self->rest;
    if (!is_whole)
        login_tokens_clear(self);
    return is_whole;
}

secret *login_tokens_text(const login_tokens *self)
{
    json_set_alloc_funcs(malloc, secret_wipe_and_free);
    json_t *tree = json_object();
    for (gsize i = 0; i < LOGIN_TOKENS_COUNT; i++)
        if (self->token[i])
            json_object_set_new(
                tree, login_token_names[i],
                json_stringn((const char *)self->token[i]->data, self->token[i]->length));
    json_object_set_new(tree, "generation", json_integer(self->generation));
    json_object_set_new(tree, "expires_at", json_integer(self->expires_at));
    if (self->account)
        json_object_set_new(tree, "account", json_string(self->account));
    if (self->email)
        json_object_set_new(tree, "email", json_string(self->email));
    if (self->client)
        json_object_set_new(tree, "client_id", json_string(self->client));
    json_object_set_new(tree, "spent_until", json_integer(self->spent_until));
    json_object_set_new(tree, "has_ended", json_boolean(self->has_ended));
    json_object_set_new(tree, "rest", json_loads(self->rest, 0, NULL));
    char *text = json_dumps(tree, JSON_INDENT(2));
    secret *copy = text ? secret_copy((const guint8 *)text, strlen(text)) : NULL;
    secret_wipe_and_free(text);
    json_decref(tree);
    return copy;
}
