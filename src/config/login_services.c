#include "config/login_services.h"

#include <string.h>

const char *const login_token_names[LOGIN_TOKENS_COUNT] = {
    [TOKEN_ACCESS] = "access_token", [TOKEN_REFRESH] = "refresh_token", [TOKEN_ID] = "id_token"};

/*
 * Claude Code. It asks platform.claude.com; the others are names of the same service, which a
 * program of a box could ask in its place.
 */
static const login_endpoint claude_endpoints[] = {
    {"platform.claude.com", "/v1/oauth/token", LOGIN_TOKENS},
    {"console.anthropic.com", "/v1/oauth/token", LOGIN_TOKENS},
    {"claude.ai", "/v1/oauth/token", LOGIN_TOKENS},
    {"claude.com", "/v1/oauth/token", LOGIN_TOKENS},
    {"api.anthropic.com", "/v1/oauth/token", LOGIN_TOKENS},
    {"platform.claude.com", "/v1/oauth/revoke", LOGIN_REVOKES},
    {"console.anthropic.com", "/v1/oauth/revoke", LOGIN_REVOKES},
    {"claude.ai", "/v1/oauth/revoke", LOGIN_REVOKES},
    {"claude.com", "/v1/oauth/revoke", LOGIN_REVOKES},
    {"api.anthropic.com", "/v1/oauth/revoke", LOGIN_REVOKES},
    {"api.anthropic.com", "/api/oauth/claude_cli/create_api_key", LOGIN_MAKES_KEY},
    {"api.anthropic.com", "/", LOGIN_API},
    {"mcp-proxy.anthropic.com", "/", LOGIN_API},
    {0}};
static const char *const claude_hosts[] = {"api.anthropic.com",
                                           "platform.claude.com",
                                           "console.anthropic.com",
                                           "claude.ai",
                                           "claude.com",
                                           "mcp-proxy.anthropic.com",
                                           NULL};
static const char *const claude_marks[] = {"sk-ant-", NULL};
static const char *const no_claims[] = {NULL};

/* Codex. */
static const login_endpoint codex_endpoints[] = {
    {"auth.openai.com", "/oauth/token", LOGIN_TOKENS},
    {"auth.openai.com", "/oauth/revoke", LOGIN_REVOKES},
    {"chatgpt.com", "/backend-api", LOGIN_API},
    {"api.openai.com", "/", LOGIN_API},
    {0}};
static const char *const codex_hosts[] = {"api.openai.com", "chatgpt.com", "auth.openai.com", NULL};
static const char *const codex_marks[] = {
    "\"access_token\"", "\"refresh_token\"", "\"id_token\"", "\"rt_", "\"rt.", "\"sk-", NULL};
static const char *const codex_claims[] = {"iss",
                                           "aud",
                                           "sub",
                                           "iat",
                                           "exp",
                                           "nbf",
                                           "email",
                                           "email_verified",
                                           "name",
                                           "scp",
                                           "client_id",
                                           "https://api.openai.com/profile",
                                           "https://api.openai.com/auth",
                                           "chatgpt_account_id",
                                           "chatgpt_account_user_id",
                                           "chatgpt_account_is_fedramp",
                                           "chatgpt_compute_residency",
                                           "chatgpt_plan_type",
                                           "chatgpt_subscription_active_start",
                                           "chatgpt_subscription_active_until",
                                           "chatgpt_subscription_last_checked",
                                           "chatgpt_user_id",
                                           "user_id",
                                           "organization_id",
                                           "project_id",
                                           "completed_platform_onboarding",
                                           "is_org_owner",
                                           NULL};

static const login_service services[] = {
    {"claude", claude_endpoints, claude_hosts, claude_marks, no_claims, ".claude/.credentials.json",
     ".claude.json", "{\"hasCompletedOnboarding\": true}\n"},
    {"codex", codex_endpoints, codex_hosts, codex_marks, codex_claims, ".codex/auth.json", NULL,
     NULL},
};

const login_service *login_service_find(const char *name)
{
    for (gsize i = 0; i < G_N_ELEMENTS(services); i++)
        if (strcmp(services[i].name, name) == 0)
            return &services[i];
    return NULL;
}

char *login_service_names(void)
{
    const char *names[G_N_ELEMENTS(services) + 1] = {NULL};
    for (gsize i = 0; i < G_N_ELEMENTS(services); i++)
        names[i] = services[i].name;
    return g_strjoinv(", ", (char **)names);
}

gboolean login_service_has(const login_service *self, const char *host, enum login_place place)
{
    for (const login_endpoint *each = self->endpoints; each->host; each++)
        if (each->place == place && strcmp(each->host, host) == 0)
            return TRUE;
    return FALSE;
}

/* Without the query. */
static struct http_text path_of(struct http_text target)
{
    const char *query = memchr(target.text, '?', target.length);
    return (struct http_text){target.text, query ? (gsize)(query - target.text) : target.length};
}

/* PATH without codes such as "%2F" (RFC 3986, 2.1), in small letters. */
static char *decode(struct http_text path)
{
    GString *text = g_string_new(NULL);
    for (gsize i = 0; i < path.length; i++) {
        char c = path.text[i];
        int high = c == '%' && i + 2 < path.length ? g_ascii_xdigit_value(path.text[i + 1]) : -1;
        int low = high < 0 ? -1 : g_ascii_xdigit_value(path.text[i + 2]);
        if (low >= 0) {
            c = (char)(16 * high + low);
            i += 2;
        }
        g_string_append_c(text, g_ascii_tolower(c));
    }
    return g_string_free(text, FALSE);
}

/* Letters and digits of TEXT alone, as the most forgiving server may read it; a new string. */
static char *skeleton(const char *text)
{
    GString *found = g_string_new(NULL);
    for (; *text; text++)
        if (g_ascii_isalnum(*text))
            g_string_append_c(found, *text);
    return g_string_free(found, FALSE);
}

static gboolean is_path(struct http_text path, const char *wanted)
{
    return path.length == strlen(wanted) && memcmp(path.text, wanted, path.length) == 0;
}

static gboolean is_below(struct http_text path, const char *folder)
{
    gsize length = strlen(folder);
    return path.length >= length && memcmp(path.text, folder, length) == 0 &&
           (folder[length - 1] == '/' || path.length == length || path.text[length] == '/');
}

/* A server may read PATH as WANTED, or as its last two names below another folder. A code that is
 * left may be decoded once more, ".." leads anywhere, and some leave out what follows a ';'. */
static gboolean is_like(struct http_text path, const char *wanted)
{
    g_autofree char *decoded = decode(path);
    const char *last = strrchr(wanted, '/');
    while (last > wanted && last[-1] != '/')
        last--;
    g_autofree char *is = skeleton(decoded), *would_be = skeleton(last);
    return strstr(is, would_be) || strstr(decoded, "..") || strpbrk(decoded, "%;") ||
           memmem(path.text, path.length, "%00", 3);
}

/* A server may take PATH for one that is not below the folder it begins with. */
static gboolean leads_out(struct http_text path)
{
    g_autofree char *decoded = decode(path);
    return strstr(decoded, "..") || strpbrk(decoded, "%;\\");
}

static gboolean is_of_api(const login_endpoint *api, struct http_text path, gboolean is_rerouted)
{
    gboolean is_whole_host = api->path[1] == '\0';
    return is_below(path, api->path) && (is_whole_host || (!is_rerouted && !leads_out(path)));
}

enum login_place login_service_place(const login_service *self, const char *host,
                                     const struct http_message *request)
{
    struct http_text path = path_of(request->target);
    enum login_place found = LOGIN_ELSEWHERE;
    gboolean is_api = login_service_has(self, host, LOGIN_API);
    /* In HTTP/2 ("h2c") any path could be asked for, unseen. */
    gboolean is_rerouted =
        request->reroutes || (request->overrides && !(is_api && request->asks_upgrade));
    for (const login_endpoint *each = self->endpoints; each->host; each++) {
        if (strcmp(each->host, host) != 0)
            continue;
        if (each->place == LOGIN_API)
            found = is_of_api(each, path, request->reroutes) ? LOGIN_API : found;
        else if (is_rerouted)
            return LOGIN_AMBIGUOUS;
        else if (is_path(path, each->path))
            return each->place;
        else if (is_like(path, each->path))
            return LOGIN_AMBIGUOUS;
    }
    return found;
}
