/*
 * Fuzzes what a token endpoint answers. "@" in the input stands for an access token, "#" for a
 * refresh token, "$" for a JWT. An answer that passes has neither, but phantoms that are read
 * again, and is kept as it is.
 */
#include <assert.h>
#include <glib.h>
#include <jansson.h>
#include <stdint.h>
#include <string.h>

#include "host/secrets/login_tokens.h"

#define NOW 1800000000
#define ACCESS "sk-ant-oat01-REALREALREALREALREALREALREALREALREALREAL0123456789"
#define REFRESH "sk-ant-ort01-FAKENOTFAKENOTFAKENOTFAKENOTFAKENOT0123456789xyz"
#define JWT                                                             \
    "eyJhbGciOiJSUzI1NiJ9.eyJlbWFpbCI6ImFAYi5jIiwianRpIjoic2VjcmV0In0." \
    "c2lnbmF0dXJlc2lnbmF0dXJlc2lnbmF0dXJlc2lnbmF0dXJl"
#define SIGNATURE "c2lnbmF0dXJlc2lnbmF0dXJl"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_answer(const login_tokens *tokens, const phantom_maker *maker)
{
    enum login_token which;
    guint32 generation;
    g_autofree char *text = login_tokens_answer(tokens, maker, NOW);
    if (!text)
        return;
    assert(!strstr(text, ACCESS) && !strstr(text, REFRESH) && !strstr(text, SIGNATURE));
    assert(!login_tokens_are_in(tokens, text, strlen(text)));
    json_t *tree = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert(tree);
    for (gsize i = 0; i < LOGIN_TOKENS_COUNT; i++) {
        const char *phantom = json_string_value(json_object_get(tree, login_token_names[i]));
        assert(!phantom == !tokens->token[i]);
        assert(!phantom || (phantom_read(maker, phantom, strlen(phantom), &which, &generation) &&
                            which == i && generation == tokens->generation));
    }
    json_decref(tree);
}

static void check_file(const login_tokens *tokens)
{
    g_autoptr(secret) text = login_tokens_text(tokens);
    g_auto(login_tokens) again = {0};
    assert(text && login_tokens_parse(&again, (const char *)text->data, text->length));
    g_autoptr(secret) second = login_tokens_text(&again);
    assert(secret_equal(text, second));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const guint8 key[PLACEHOLDER_KEY] = "a key";
    g_autoptr(GString) text = g_string_new(NULL);
    g_auto(login_tokens) tokens = {0};
    phantom_maker maker;
    /* Parts of a token that are in the input by themselves say nothing. */
    if (memmem(data, size, SIGNATURE, 12) || memmem(data, size, "REALREAL", 8) ||
        memmem(data, size, "FAKENOT", 7))
        return 0;
    for (size_t i = 1; i < size; i++) {
        if (data[i] == '@' || data[i] == '#' || data[i] == '$')
            g_string_append(text, data[i] == '@' ? ACCESS : data[i] == '#' ? REFRESH : JWT);
        else
            g_string_append_c(text, (char)data[i]);
    }
    phantom_maker_init(&maker, login_service_find(size > 0 && data[0] & 1 ? "claude" : "codex"),
                       "a", key);
    if (login_tokens_parse(&tokens, text->str, text->len))
        check_file(&tokens);
    login_tokens_clear(&tokens);
    const char *why = login_tokens_read_answer(&tokens, text->str, text->len, NOW);
    assert(!why == (tokens.token[TOKEN_ACCESS] != NULL));
    if (why)
        return 0;
    check_answer(&tokens, &maker);
    check_file(&tokens);
    return 0;
}
