/* Logins: requests for tokens, their answers, phantoms, and places that a box asks for. */
#include <glib.h>
#include <jansson.h>
#include <string.h>

#include "host/secrets/login.h"
#include "host/secrets/token_request.h"

#define NOW G_GINT64_CONSTANT(1800000000)
#define ACCESS \
    "sk-ant-oat01-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA_AAAAAAAAAAAAAAAAAAAAAA-AAAA0"
#define REFRESH \
    "sk-ant-ort01-BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB_BBBBBBBBBBBBBBBBBBBBBB-BBBB0"
#define PAIR "\"access_token\":\"" ACCESS "\",\"refresh_token\":\"" REFRESH "\""

static const guint8 key[PLACEHOLDER_KEY] = "a key of one box";
static const guint8 other_key[PLACEHOLDER_KEY] = "a key of another box";

static phantom_maker maker_of(const char *service, const guint8 *with)
{
    phantom_maker maker;
    phantom_maker_init(&maker, login_service_find(service), "mine", with);
    return maker;
}

static const char *read_answer(login_tokens *tokens, const char *text)
{
    return login_tokens_read_answer(tokens, text, strlen(text), NOW);
}

/* What the name says of ANSWER, with phantoms of MAKER. */
static char *member(const login_tokens *tokens, const phantom_maker *maker, gint64 now,
                    const char *name)
{
    g_autofree char *text = login_tokens_answer(tokens, maker, now);
    json_t *tree = json_loads(text, 0, NULL);
    json_t *value = json_object_get(tree, name);
    char *found = json_is_string(value)
                      ? g_strdup(json_string_value(value))
                      : g_strdup_printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
    json_decref(tree);
    return found;
}

static void answer_with_phantoms(void)
{
    g_auto(login_tokens) tokens = {0};
    phantom_maker maker = maker_of("claude", key), other = maker_of("claude", other_key);
    enum login_token which;
    guint32 generation;
    g_assert_cmpstr(read_answer(&tokens, "{" PAIR ",\"expires_in\":28800,\"scope\":\"a b\"}"), ==,
                    NULL);
    g_autofree char *access = member(&tokens, &maker, NOW + 800, "access_token");
    g_autofree char *refresh = member(&tokens, &maker, NOW, "refresh_token");
    g_autofree char *elsewhere = member(&tokens, &other, NOW, "refresh_token");
    g_autofree char *expires = member(&tokens, &maker, NOW + 800, "expires_in");
    g_autofree char *scope = member(&tokens, &maker, NOW, "scope");
    g_assert_cmpstr(expires, ==, "28000");
    g_assert_cmpstr(scope, ==, "a b");
    g_assert_cmpuint(strlen(access), ==, strlen(ACCESS));
    g_assert_true(g_str_has_prefix(access, "sk-ant-oat01-"));
    g_assert_true(g_str_has_prefix(refresh, "sk-ant-ort01-"));
    g_assert_null(strstr(access, "AAAAAAAA"));
    g_assert_cmpstr(refresh, !=, elsewhere);
    g_assert_true(phantom_read(&maker, access, strlen(access), &which, &generation));
    g_assert_true(which == TOKEN_ACCESS && generation == 1);
    g_assert_true(phantom_read(&maker, refresh, strlen(refresh), &which, &generation));
    g_assert_true(which == TOKEN_REFRESH && generation == 1);
    g_assert_false(phantom_read(&maker, elsewhere, strlen(elsewhere), &which, &generation));
    g_assert_false(phantom_read(&maker, refresh, 40, &which, &generation));
}

static void answers_follow(void)
{
    g_auto(login_tokens) first = {0}, second = {0};
    phantom_maker maker = maker_of("claude", key);
    enum login_token which;
    guint32 generation;
    g_assert_cmpstr(read_answer(&first, "{" PAIR ",\"account\":{\"uuid\":\"u1\","
                                        "\"email_address\":\"a@b.c\"}}"),
                    ==, NULL);
    g_assert_cmpstr(
        read_answer(&second, "{\"access_token\":\"" ACCESS "x\",\"expires_in\":\"60\"}"), ==, NULL);
    login_tokens_follow(&second, &first);
    g_assert_cmpstr(second.email, ==, "a@b.c");
    g_assert_cmpstr(second.account, ==, "u1");
    g_assert_cmpint(second.expires_at, ==, NOW + 60);
    g_autofree char *refresh = member(&second, &maker, NOW, "refresh_token");
    g_assert_true(phantom_read(&maker, refresh, strlen(refresh), &which, &generation));
    g_assert_cmpuint(generation, ==, 2);
    g_assert_true(login_tokens_are_in(&second, "..." REFRESH, 3 + strlen(REFRESH)));
    g_assert_false(login_tokens_are_in(&second, refresh, strlen(refresh)));
    /* They are the same after they were kept. */
    second.client = g_strdup("c1");
    g_autoptr(secret) text = login_tokens_text(&second);
    g_auto(login_tokens) again = {0};
    g_assert_true(login_tokens_parse(&again, (const char *)text->data, text->length));
    g_autofree char *kept = member(&again, &maker, NOW, "refresh_token");
    g_assert_cmpstr(kept, ==, refresh);
    g_assert_cmpstr(again.email, ==, "a@b.c");
    g_assert_cmpstr(again.client, ==, "c1");
    g_auto(login_tokens) cut = {0};
    g_assert_false(login_tokens_parse(&cut, (const char *)text->data, text->length - 3));
}

static unsigned renewals(login_tokens *tokens, gint64 now, unsigned tries)
{
    unsigned done = 0;
    for (unsigned i = 0; i < tries; i++)
        done += login_tokens_may_renew(tokens, now) ? 1 : 0;
    return done;
}

static void renewals_are_limited(void)
{
    g_auto(login_tokens) tokens = {0}, again = {0};
    g_assert_cmpstr(read_answer(&tokens, "{" PAIR ",\"expires_in\":28800}"), ==, NULL);
    g_assert_cmpuint(renewals(&tokens, NOW, 100), ==, 5);
    g_autoptr(secret) text = login_tokens_text(&tokens);
    g_assert_true(login_tokens_parse(&again, (const char *)text->data, text->length));
    g_assert_cmpuint(renewals(&again, NOW + 299, 100), ==, 0);
    g_assert_cmpuint(renewals(&again, NOW + 300, 100), ==, 1);
    g_assert_cmpuint(renewals(&again, NOW + 3000, 100), ==, 5);
    /* One that has expired is renewed soon, and as often as one asks for it now and then. */
    g_assert_true(login_tokens_are_fresh(&again, NOW + 28700));
    g_assert_false(login_tokens_are_fresh(&again, NOW + 28740));
    g_assert_cmpuint(renewals(&again, NOW + 28739, 100), ==, 5);
    g_assert_cmpuint(renewals(&again, NOW + 28740, 1), ==, 0);
    g_assert_cmpuint(renewals(&again, NOW + 28750, 100), ==, 1);
    for (gint64 now = NOW + 28760; now < NOW + 30000; now += 10)
        g_assert_cmpuint(renewals(&again, now, 100), ==, 1);
    /* A clock that is put back keeps nobody waiting. */
    g_assert_cmpuint(renewals(&again, NOW, 100), ==, 5);
}

static void answers_refused(void)
{
    static const char *const refused[] = {
        "",
        "{}",
        "[]",
        "\"" ACCESS "\"",
        "{" PAIR,
        "{" PAIR ",\"refresh_token\":\"" REFRESH "\"}",
        "{\"refresh_token\":\"" REFRESH "\"}",
        "{\"access_token\":\"short\"}",
        "{\"access_token\":[\"" ACCESS "\"]}",
        "{\"access_token\":\"" ACCESS " " ACCESS "\"}",
        "{" PAIR ",\"expires_in\":\"soon\"}",
        "{" PAIR ",\"expires_in\":-1}",
        "{" PAIR ",\"expires_in\":1e300}",
        "{" PAIR ",\"device_secret\":\"12345678\"}",
        "{" PAIR ",\"other\":\"" ACCESS "\"}",
        "{" PAIR ",\"other\":{\"a\":[[\"" ACCESS "\"]]}}",
        "{" PAIR ",\"other\":{\"" ACCESS "\":1}}",
        "{" PAIR ",\"other\":\"see https://a.b/?x=" ACCESS "&y\"}",
        "{" PAIR ",\"token_type\":\"" ACCESS "\"}",
        "{" PAIR ",\"other\":\"eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.e30.abcdefghijklmnop\"}",
        "{" PAIR ",\"other\":\"0123456789abcdef0123456789abcdef\"}",
        "{" PAIR ",\"other\":\"\x7f"
        "0123456789abcdef0123456789abcdef\\u00e4\"}",
        "{\"access_token\":\"|short|short|short|short|short|short|short|short|1\","
        "\"other\":\"x|short|short|short|short|short|short|short|short|1\"}",
        "{" PAIR ",\"new_keys\":[\"12345678\"]}",
    };
    for (gsize i = 0; i < G_N_ELEMENTS(refused); i++) {
        g_auto(login_tokens) tokens = {0};
        if (!read_answer(&tokens, refused[i]))
            g_error("passes: %s", refused[i]);
        g_assert_null(tokens.token[TOKEN_ACCESS]);
    }
    static const char *const taken[] = {
        "{" PAIR "}",
        "{" PAIR ",\"id_token\":null,\"expires_in\":null}",
        "{" PAIR
        ",\"token_type\":\"Bearer\",\"scope\":\"user:inference user:sessions:claude_code\"}",
        "{" PAIR ",\"organization\":{\"uuid\":\"3f8e7b9a-0000-4000-8000-00000000019e\","
        "\"name\":\"A company with a name of many words Ltd\"}}",
        "{" PAIR ",\"account\":{\"email_address\":\"a.very.long.name.of.1.person@example.com\"}}",
    };
    for (gsize i = 0; i < G_N_ELEMENTS(taken); i++) {
        g_auto(login_tokens) tokens = {0};
        g_assert_cmpstr(read_answer(&tokens, taken[i]), ==, NULL);
    }
}

/* {"alg":"RS256","kid":"k","x":"y"}, {"email":"a@b.c","exp":1800003600,"jti":"secret",
 * "https://api.openai.com/auth":{"chatgpt_plan_type":"plus","chatgpt_account_id":"acc","other":1}}
 */
#define JWT                                                                                       \
    "eyJhbGciOiJSUzI1NiIsImtpZCI6ImsiLCJ4IjoieSJ9."                                               \
    "eyJlbWFpbCI6ImFAYi5jIiwiZXhwIjoxODAwMDAzNjAwLCJqdGkiOiJzZWNyZXQiLCJodHRwczovL2FwaS5vcGVuYWk" \
    "uY29tL2F1dGgiOnsiY2hhdGdwdF9wbGFuX3R5cGUiOiJwbHVzIiwiY2hhdGdwdF9hY2NvdW50X2lkIjoiYWNjIiwib3" \
    "RoZXIiOjF9fQ."                                                                               \
    "c2lnbmF0dXJlc2lnbmF0dXJlc2lnbmF0dXJlc2lnbmF0dXJlc2lnbmF0dXJl"

static void jwt_keeps_claims(void)
{
    g_auto(login_tokens) tokens = {0};
    phantom_maker maker = maker_of("codex", key);
    enum login_token which;
    guint32 generation;
    g_assert_cmpstr(read_answer(&tokens, "{\"access_token\":\"" JWT "\",\"id_token\":\"" JWT
                                         "\",\"refresh_token\":\"rt_" REFRESH "\"}"),
                    ==, NULL);
    g_assert_cmpint(tokens.expires_at, ==, NOW + 3600);
    g_assert_cmpstr(tokens.account, ==, "acc");
    g_assert_cmpstr(tokens.email, ==, "a@b.c");
    g_autofree char *id = member(&tokens, &maker, NOW, "id_token");
    g_assert_true(phantom_read(&maker, id, strlen(id), &which, &generation) && which == TOKEN_ID);
    g_assert_cmpuint(strlen(strrchr(id, '.')), ==, strlen(strrchr(JWT, '.')));
    g_assert_null(strstr(id, "c2lnbmF0dXJl"));
    json_t *claims = phantom_claims(id);
    json_t *auth = json_object_get(claims, "https://api.openai.com/auth");
    g_assert_cmpstr(json_string_value(json_object_get(claims, "email")), ==, "a@b.c");
    g_assert_cmpint(json_integer_value(json_object_get(claims, "exp")), ==, NOW + 3600);
    g_assert_cmpstr(json_string_value(json_object_get(auth, "chatgpt_plan_type")), ==, "plus");
    g_assert_null(json_object_get(claims, "jti"));
    g_assert_null(json_object_get(auth, "other"));
    json_decref(claims);
    g_autofree char *refresh = member(&tokens, &maker, NOW, "refresh_token");
    g_assert_true(g_str_has_prefix(refresh, "rt_"));
}

/* A time that no number of seconds leads to is none. */
static void jwt_without_time(void)
{
    static const char *const claims[] = {
        "eyJleHAiOi05MjIzMzcyMDM2ODU0Nzc1ODA4fQ", /* {"exp":-9223372036854775808} */
        "eyJleHAiOjkyMjMzNzIwMzY4NTQ3NzU4MDd9",   /* {"exp":9223372036854775807} */
    };
    for (gsize i = 0; i < G_N_ELEMENTS(claims); i++) {
        g_auto(login_tokens) tokens = {0};
        g_autofree char *answer = g_strdup_printf(
            "{\"access_token\":\"eyJhbGciOiJSUzI1NiJ9.%s.c2lnbmF0dXJlc2lnbmF0dXJlc2lnbmF0dXJlc2lnbmF0dXJlc2lnbmF0dXJl\"}",
            claims[i]);
        g_assert_cmpstr(read_answer(&tokens, answer), ==, NULL);
        g_assert_cmpint(tokens.expires_at, ==, 0);
    }
}

static void client_files(void)
{
    login one = {.unsaved = -1};
    one.maker = maker_of("claude", key);
    g_assert_null(login_client_file(&one, NOW));
    g_assert_cmpstr(read_answer(&one.now, "{" PAIR ",\"expires_in\":60,\"scope\":\"a b\"}"), ==,
                    NULL);
    g_autofree char *text = login_client_file(&one, NOW);
    g_assert_nonnull(strstr(text, "\"scopes\": [\n      \"a\",\n      \"b\"\n    ]"));
    /* It seems to have expired, and is of the generation before. */
    g_assert_nonnull(strstr(text, "\"expiresAt\": 1000"));
    g_assert_nonnull(strstr(text, "r00000000"));
    one.now.has_ended = TRUE;
    g_assert_null(login_client_file(&one, NOW));
    one.now.has_ended = FALSE;
    one.maker = maker_of("codex", key);
    g_autofree char *codex = login_client_file(&one, NOW);
    g_assert_nonnull(strstr(codex, "\"last_refresh\": \"2027-01-15T08:00:00Z\""));
    g_assert_nonnull(strstr(codex, "r00000001"));
    login_tokens_clear(&one.now);
}

/* Requests. */

static char *rewrite(const char *body, const char *token, const char *granted)
{
    g_auto(token_request) request = {0};
    g_autoptr(secret) with = token ? secret_copy((const guint8 *)token, strlen(token)) : NULL;
    g_assert_cmpstr(token_request_read(&request, body, strlen(body)), ==, NULL);
    g_autoptr(secret) made = token_request_write(&request, with, granted);
    return g_strndup((const char *)made->data, made->length);
}

static void requests_rewritten(void)
{
    g_autofree char *json =
        rewrite("{\"grant_type\": \"refresh_token\", \"refresh_token\": \"p\", \"n\": 1, "
                "\"scope\": \"a b\"}",
                "real", "b a");
    g_assert_cmpstr(json, ==,
                    "{\"grant_type\":\"refresh_token\",\"refresh_token\":\"real\",\"n\":1,"
                    "\"scope\":\"a b\"}");
    /* It may not narrow what the others have. */
    g_autofree char *narrow = rewrite(
        "{\"grant_type\":\"refresh_token\",\"refresh_token\":\"p\",\"scope\":\"a\"}", "r", "a b");
    g_assert_cmpstr(narrow, ==, "{\"grant_type\":\"refresh_token\",\"refresh_token\":\"r\"}");
    g_autofree char *unknown = rewrite(
        "{\"grant_type\":\"refresh_token\",\"refresh_token\":\"p\",\"scope\":\"a\"}", "r", NULL);
    g_assert_cmpstr(unknown, ==, narrow);
    g_autofree char *by_code = rewrite("grant_type=authorization_code&scope=a", NULL, NULL);
    g_assert_cmpstr(by_code, ==, "grant_type=authorization_code&scope=a");
    g_autofree char *form =
        rewrite("grant_type=refresh_token&refresh_token=p+p&a=%26b%3D", "r&x=/+", NULL);
    g_assert_cmpstr(form, ==, "grant_type=refresh_token&refresh_token=r%26x%3D%2F%2B&a=%26b%3D");
    g_autofree char *code = rewrite("grant_type=authorization_code&code=a%20b", NULL, NULL);
    g_assert_cmpstr(code, ==, "grant_type=authorization_code&code=a%20b");
}

static void requests_refused(void)
{
    static const char *const refused[] = {
        "",
        "x",
        "a=b",
        "grant_type=refresh_token",
        "grant_type=refresh_token&refresh_token=a&refresh_token=b",
        "grant_type=refresh_token&grant%5Ftype=authorization_code&refresh_token=a",
        "grant_type=refresh_token&refresh_token=a%00b",
        "grant_type=refresh_token&refresh_token=%zz",
        "grant_type=refresh_token&&refresh_token=a",
        "{\"grant_type\":\"refresh_token\"}",
        "{\"grant_type\":\"authorization_code\",\"client_id\":1}",
        "{\"grant_type\":\"refresh_token\",\"refresh_token\":[\"a\"]}",
        "{\"grant_type\":\"refresh_token\",\"refresh_token\":\"a\",\"refresh_token\":\"b\"}",
        "{\"grant_type\":\"refresh_token\",\"refresh_token\":\"a\",\"Grant_Type\":\"x\",\"code\":\"b\"}",
        "{\"grant_type\":\"refresh_token\",\"refresh_token\":\"a\",\"REFRESH_TOKEN\":\"b\"}",
        "grant_type=refresh_token&refresh_token=a&grant.type=authorization_code&code=b",
        "grant_type=refresh_token&refresh_token=a&refresh_token%5B%5D=b",
        "{\"grant_type\":[\"refresh_token\"],\"refresh_token\":\"a\"}",
        "{\"grant_type\":\"refresh_token\",\"refresh_token\":\"a\",\"scope\":[\"a\"]}",
        "{\"grant_type\":\"refresh_token\",\"refresh_token\":\"a\"}x",
        " {\"grant_type\":\"refresh_token\",\"refresh_token\":\"a\"}",
    };
    for (gsize i = 0; i < G_N_ELEMENTS(refused); i++) {
        g_auto(token_request) request = {0};
        if (!token_request_read(&request, refused[i], strlen(refused[i])))
            g_error("passes: %s", refused[i]);
    }
}

/* Places. */

static void places(void)
{
    static const struct {
        const char *service, *host, *target;
        enum login_place place;
    } cases[] = {
        {"claude", "platform.claude.com", "/v1/oauth/token", LOGIN_TOKENS},
        {"claude", "platform.claude.com", "/v1/oauth/token?a=b", LOGIN_TOKENS},
        {"claude", "platform.claude.com", "/v1/oauth/revoke", LOGIN_REVOKES},
        {"claude", "platform.claude.com", "/v1/oauth/tokens", LOGIN_AMBIGUOUS},
        {"claude", "platform.claude.com", "/oauth//token", LOGIN_AMBIGUOUS},
        {"claude", "platform.claude.com", "/oauth/code/success?x=/v1/oauth/token", LOGIN_ELSEWHERE},
        {"claude", "platform.claude.com", "/a/..;/b", LOGIN_AMBIGUOUS},
        {"claude", "platform.claude.com", "/v1/oauth;a=b/token", LOGIN_AMBIGUOUS},
        {"claude", "platform.claude.com", "/a%2541", LOGIN_AMBIGUOUS},
        {"claude", "api.anthropic.com", "/v1/messages?beta=true", LOGIN_API},
        {"claude", "api.anthropic.com", "/api/oauth/profile", LOGIN_API},
        {"claude", "api.anthropic.com", "/api/oauth/organizations/x/tokens", LOGIN_API},
        {"claude", "api.anthropic.com", "/v1/oauth/token", LOGIN_TOKENS},
        {"claude", "api.anthropic.com", "/v1/oauth/%54oken", LOGIN_AMBIGUOUS},
        {"claude", "api.anthropic.com", "/v1/oauth%3Ba/token", LOGIN_AMBIGUOUS},
        {"claude", "api.anthropic.com", "/api/oauth/claude_cli/create_api_key", LOGIN_MAKES_KEY},
        {"claude", "api.anthropic.com", "/api/oauth/claude_cli//create_api_key", LOGIN_AMBIGUOUS},
        {"claude", "example.com", "/v1/oauth/token", LOGIN_ELSEWHERE},
        {"codex", "auth.openai.com", "/oauth/token", LOGIN_TOKENS},
        {"codex", "auth.openai.com", "/oauth/token/", LOGIN_AMBIGUOUS},
        {"codex", "auth.openai.com", "/api/accounts/deviceauth/token", LOGIN_ELSEWHERE},
        {"codex", "chatgpt.com", "/backend-api/codex/responses", LOGIN_API},
        {"codex", "chatgpt.com", "/backend-api", LOGIN_API},
        {"codex", "chatgpt.com", "/backend-apix", LOGIN_ELSEWHERE},
        {"codex", "chatgpt.com", "/", LOGIN_ELSEWHERE},
        {"codex", "chatgpt.com", "/backend-api/../x", LOGIN_ELSEWHERE},
        {"codex", "chatgpt.com", "/backend-api/%2e%2e/x", LOGIN_ELSEWHERE},
        {"codex", "chatgpt.com", "/backend-api/..%5cx", LOGIN_ELSEWHERE},
        {"codex", "chatgpt.com", "/backend-api/..;/x", LOGIN_ELSEWHERE},
        {"codex", "api.openai.com", "/v1/responses", LOGIN_API},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct http_message request = {
            .target = {cases[i].target, strlen(cases[i].target)},
        };
        const login_service *of = login_service_find(cases[i].service);
        enum login_place place = login_service_place(of, cases[i].host, &request);
        if (place != cases[i].place)
            g_error("%s%s: %d", cases[i].host, cases[i].target, (int)place);
        request.overrides = true;
        place = login_service_place(of, cases[i].host, &request);
        g_assert_true(place == LOGIN_AMBIGUOUS ||
                      !login_service_has(of, cases[i].host, LOGIN_TOKENS));
    }
    /* The path that counts may be another one. */
    struct http_message rerouted = {.target = {"/backend-api/x", 14}, .reroutes = true};
    g_assert_cmpint(login_service_place(login_service_find("codex"), "chatgpt.com", &rerouted), ==,
                    LOGIN_ELSEWHERE);
    /* Where all endpoints are, so that no host is left out of what a login intercepts. */
    static const char *const names[] = {"claude", "codex"};
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        const login_service *of = login_service_find(names[i]);
        for (const login_endpoint *each = of->endpoints; each->host; each++)
            g_assert_true(g_strv_contains(of->hosts, each->host));
    }
}

/* An upgrade to WebSocket passes to an API, and takes nothing else with it. */
static void upgrades(void)
{
    static const struct {
        const char *fields;
        enum login_place place;
    } cases[] = {
        {"Upgrade: websocket\r\nConnection: Upgrade\r\n", LOGIN_API},
        {"Upgrade: websocket\r\n", LOGIN_AMBIGUOUS},
        {"Upgrade: websocket\r\nConnection: Upgrade\r\nX-Original-URL: /v1/oauth/token\r\n",
         LOGIN_AMBIGUOUS},
        {"Upgrade: h2c\r\nConnection: Upgrade\r\n", LOGIN_AMBIGUOUS},
        {"Upgrade: websocket, h2c\r\nConnection: Upgrade\r\n", LOGIN_AMBIGUOUS},
        {"Upgrade: websocket\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n", LOGIN_AMBIGUOUS},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *why;
        struct http_message request;
        g_autofree char *head = g_strdup_printf(
            "GET /v1/x HTTP/1.1\r\nHost: api.anthropic.com\r\n%s\r\n", cases[i].fields);
        g_assert_cmpint(http_read_request(head, strlen(head), 443, &request, &why), ==,
                        HEAD_COMPLETE);
        enum login_place place =
            login_service_place(login_service_find("claude"), "api.anthropic.com", &request);
        if (place != cases[i].place)
            g_error("%s: %d", cases[i].fields, (int)place);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/secrets_login/answer_with_phantoms", answer_with_phantoms);
    g_test_add_func("/secrets_login/answers_follow", answers_follow);
    g_test_add_func("/secrets_login/renewals_are_limited", renewals_are_limited);
    g_test_add_func("/secrets_login/answers_refused", answers_refused);
    g_test_add_func("/secrets_login/jwt_keeps_claims", jwt_keeps_claims);
    g_test_add_func("/secrets_login/jwt_without_time", jwt_without_time);
    g_test_add_func("/secrets_login/client_files", client_files);
    g_test_add_func("/secrets_login/requests_rewritten", requests_rewritten);
    g_test_add_func("/secrets_login/requests_refused", requests_refused);
    g_test_add_func("/secrets_login/places", places);
    g_test_add_func("/secrets_login/upgrades", upgrades);
    return g_test_run();
}
