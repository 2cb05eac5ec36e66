#include "host/secrets/login_client.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static json_t *phantom(const login *self, enum login_token which, guint32 earlier)
{
    g_autofree char *text = login_tokens_phantom(&self->now, &self->maker, which, earlier);
    return text ? json_string(text) : json_null();
}

/*
 * ~/.claude/.credentials.json. What plan the user has is not in a token endpoint's answer: the
 * client asks the API for it when it renews its tokens. So it gets phantoms of the generation
 * before, which seem to have expired, and with these it gets those of this one, without a request
 * of ours. A token that cannot be renewed is handed out as it is.
 */
static json_t *claude_file(const login *self, gint64 now)
{
    gboolean renews = self->now.token[TOKEN_REFRESH] != NULL;
    g_autofree char *scope = login_tokens_scope(&self->now);
    g_auto(GStrv) words = g_strsplit(scope ? scope : "", " ", -1);
    json_t *scopes = json_array();
    for (char **word = words; *word; word++)
        json_array_append_new(scopes, json_string(*word));
    json_int_t expires = renews ? 1 : self->now.expires_at ? self->now.expires_at : now + 86400;
    return json_pack("{s:{s:o, s:o, s:I, s:o, s:n, s:n}}", "claudeAiOauth", "accessToken",
                     phantom(self, TOKEN_ACCESS, renews), "refreshToken",
                     phantom(self, TOKEN_REFRESH, renews), "expiresAt", 1000 * expires, "scopes",
                     scopes, "subscriptionType", "rateLimitTier");
}

static json_t *account_of(const login *self)
{
    return self->now.account ? json_string(self->now.account) : json_null();
}

/* ~/.codex/auth.json. */
static json_t *codex_file(const login *self, gint64 now)
{
    g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc(now);
    g_autofree char *text = g_date_time_format_iso8601(time);
    return json_pack("{s:s, s:n, s:{s:o, s:o, s:o, s:o}, s:s}", "auth_mode", "chatgpt",
                     "OPENAI_API_KEY", "tokens", "id_token", phantom(self, TOKEN_ID, 0),
                     "access_token", phantom(self, TOKEN_ACCESS, 0), "refresh_token",
                     phantom(self, TOKEN_REFRESH, 0), "account_id", account_of(self),
                     "last_refresh", text);
}

static const struct {
    const char *service;
    json_t *(*make)(const login *self, gint64 now);
} clients[] = {{"claude", claude_file}, {"codex", codex_file}};

char *login_client_file(const login *self, gint64 now)
{
    json_t *tree = NULL;
    if (!self->now.token[TOKEN_ACCESS] || self->now.has_ended)
        return NULL;
    for (gsize i = 0; i < G_N_ELEMENTS(clients) && !tree; i++)
        if (strcmp(clients[i].service, self->maker.service->name) == 0)
            tree = clients[i].make(self, now);
    char *text = json_dumps(tree, JSON_INDENT(2)), *copy = g_strdup(text);
    free(text);
    json_decref(tree);
    return copy;
}
