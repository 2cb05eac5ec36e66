/*
 * Fuzzes what a box sends to a token endpoint. One that passes is written anew: it says the same,
 * with another refresh token, however it is read.
 */
#include <assert.h>
#include <glib.h>
#include <stdint.h>
#include <string.h>

#include "host/secrets/token_request.h"

#define TOKEN "a real token & more=+/%"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_auto(token_request) request = {0}, again = {0};
    const secret token = {(guint8 *)(char *)TOKEN, strlen(TOKEN)};
    if (token_request_read(&request, (const char *)data, size))
        return 0;
    gboolean renews = request.grant == GRANT_REFRESH;
    g_autofree char *before = g_strdup(token_request_token(&request));
    assert(!renews || before);
    g_autoptr(secret) made = token_request_write(&request, renews ? &token : NULL, "a b");
    assert(!token_request_read(&again, (const char *)made->data, made->length));
    assert(again.grant == request.grant && again.is_json == request.is_json &&
           again.is_long == request.is_long);
    assert(g_strcmp0(token_request_token(&again), renews ? TOKEN : before) == 0);
    g_autoptr(secret) same = token_request_write(&again, NULL, NULL);
    assert(secret_equal(made, same));
    return 0;
}
