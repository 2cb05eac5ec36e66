/* The file in which the tokens of a login are kept. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "host/secrets/login_tokens.h"

static void read_tokens(login_tokens *self, json_t *tree)
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
    read_tokens(self, tree);
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
    json_object_set_new(tree, "has_ended", json_boolean(self->has_ended));
    json_object_set_new(tree, "rest", json_loads(self->rest, 0, NULL));
    char *text = json_dumps(tree, JSON_INDENT(2));
    secret *copy = text ? secret_copy((const guint8 *)text, strlen(text)) : NULL;
    secret_wipe_and_free(text);
    json_decref(tree);
    return copy;
}
