/*
 * Fuzzes heads of requests in which a secret is put. "@" in the input stands for the placeholder of
 * a secret of this host, "#" for that of another one: whatever is around them, no placeholder may
 * be left in a head that passes, and the other secret is never in it.
 */
#include <assert.h>
#include <glib.h>
#include <stdint.h>
#include <string.h>

#include "host/secrets/request_rewrite.h"
#include "proto/http_message.h"

#define HERE "ghp_0123456789abcdefghijklmnop"
#define THERE "sk-ant-0123456789abcdefghijklmnop"
#define HERE_SECRET "ghp_REALREALREALREALREALREALRE"
#define THERE_SECRET "sk-ant-REALREALREALREALREALREALRE"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static held_secret held[2];
static GPtrArray *all, *here;

static void hold(held_secret *self, unsigned forms, const char *placeholder, const char *value)
{
    secret_definition *definition = g_new0(secret_definition, 1);
    definition->forms = forms;
    definition->header = (char *)"Private-Token";
    definition->query = forms & SECRET_QUERY ? (char *)"key" : NULL;
    *self = (held_secret){.definition = definition,
                          .value = secret_copy((const guint8 *)value, strlen(value)),
                          .placeholder = (char *)placeholder};
    g_ptr_array_add(all, self);
}

static void prepare(void)
{
    if (all)
        return;
    all = g_ptr_array_new();
    here = g_ptr_array_new();
    hold(&held[0], SECRET_BEARER | SECRET_BASIC | SECRET_X_API_KEY | SECRET_HEADER | SECRET_QUERY,
         HERE, HERE_SECRET);
    hold(&held[1], SECRET_BEARER, THERE, THERE_SECRET);
    g_ptr_array_add(here, &held[0]);
}

static gboolean has(const GByteArray *head, const char *text)
{
    return memmem(head->data, head->len, text, strlen(text)) != NULL;
}

static void check(const rewritten *new, const char *head, gsize length)
{
    struct http_message before, after;
    const char *why;
    assert(http_read_request(head, length, 443, &before, &why) == HEAD_COMPLETE);
    assert(!has(new->head, THERE_SECRET));
    if (new->wrong)
        return;
    assert(!has(new->head, HERE) && !has(new->head, THERE));
    /* It is a head that says the same about what follows it. */
    assert(new->head->len >= HTTP_HEAD_MAX ||
           (http_read_request((const char *)new->head->data, new->head->len, 443, &after, &why) ==
                HEAD_COMPLETE &&
            after.length == new->head->len &&after.body.kind ==
                before.body.kind &&after.body.left ==
                before.body.left &&strcmp(after.host, before.host) == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GString) text = g_string_new(NULL);
    struct http_message read;
    const char *why;
    prepare();
    const rewrite_rules rules = {.all = all, .here = here};
    for (size_t i = 0; i < size; i++) {
        if (data[i] == '@' || data[i] == '#')
            g_string_append(text, data[i] == '@' ? HERE : THERE);
        else
            g_string_append_c(text, (char)data[i]);
    }
    /* The fuzzer knows what it is compared with. */
    if (memmem(text->str, text->len, THERE_SECRET, strlen(THERE_SECRET)) ||
        http_read_request(text->str, text->len, 443, &read, &why) != HEAD_COMPLETE)
        return 0;
    g_auto(rewritten) new = {0};
    request_rewrite(&rules, text->str, read.length, &new);
    check(&new, text->str, read.length);
    return 0;
}
