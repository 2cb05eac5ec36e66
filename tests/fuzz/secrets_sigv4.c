/*
 * Fuzzes heads of requests that are signed as AWS does. "@" in the input stands for the placeholder
 * of a key id, "#" for that of a secret key. A head that could be signed is signed here as a box
 * would: then it must pass, say the same as before, and have one signature, which is that of what
 * is sent, and no placeholder.
 */
#include <assert.h>
#include <glib.h>
#include <stdint.h>
#include <string.h>

#include "host/secrets/request_rewrite.h"
#include "proto/http_message.h"

#define ID "AKIA2222222222222222"
#define KEY "placeholderplaceholderplaceholderplaceho"
#define TOKEN "a-token-that-is-the-placeholder"
#define ID_SECRET "AKIAREALREALREALREAL"
#define KEY_SECRET "REALREAL/REAL+REALREALREALREALREALREALRE"
#define TOKEN_SECRET "TOKEN/TOKEN+TOKENTOKENTOKEN=="
#define NOW 1440938160 /* 20150830T123600Z */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static signing_credentials with;
static secret_definition definition = {.name = (char *)"aws", .forms = SECRET_SIGV4};
static GPtrArray *here;

static void hold(held_secret *self, const char *placeholder, const char *value)
{
    *self = (held_secret){.definition = &definition, .placeholder = (char *)placeholder};
    self->value = secret_copy((const guint8 *)value, strlen(value));
    g_ptr_array_add(here, self);
}

static void prepare(void)
{
    if (here)
        return;
    here = g_ptr_array_new();
    hold(&with.id, ID, ID_SECRET);
    hold(&with.key, KEY, KEY_SECRET);
    hold(&with.token, TOKEN, TOKEN_SECRET);
    with.id.signs = &with;
}

static gboolean has(const char *text, gsize length, const char *word)
{
    return memmem(text, length, word, strlen(word)) != NULL;
}

/* Puts the signature of a box in place of that of HEAD. FALSE: it can have none. */
static gboolean sign_as_box(GString *head, gsize length, enum sigv4_form form)
{
    g_auto(sigv4_request) read = {0};
    char hex[SIGV4_HEX + 1];
    const secret key = {(guint8 *)(char *)KEY, strlen(KEY)};
    if (sigv4_read(head->str, length, NOW, &read))
        return FALSE;
    struct http_text payload = read.payload.text ? read.payload : (struct http_text){"", 0};
    char hash[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    if (!payload.text || !payload.length)
        payload = (struct http_text){hash, SIGV4_HEX};
    g_autofree char *text = sigv4_canonical(head->str, length, read.fields, payload, form);
    if (!text)
        return FALSE;
    sigv4_sign(&read, &key, text, hex);
    memcpy((char *)read.signature.text, hex, SIGV4_HEX);
    return TRUE;
}

/* The lines of HEAD that are passed on as they are. */
static char *kept_lines(const char *head, gsize length)
{
    static const char *const changed[] = {"Authorization", SIGV4_TOKEN_FIELD, "Accept-Encoding",
                                          "TE"};
    gsize at = 0;
    struct http_text line, name, value;
    g_autoptr(GString) out = g_string_new(NULL);
    while (http_next_line(head, length, &at, &line)) {
        gboolean is_kept = TRUE;
        for (gsize i = 0; http_split_field(line, &name, &value) && i < G_N_ELEMENTS(changed); i++)
            is_kept &= !http_is(name, changed[i]);
        if (is_kept)
            g_string_append_printf(out, "%.*s\n", (int)line.length, line.text);
    }
    return g_string_free(g_steal_pointer(&out), FALSE);
}

static void check(const request_signature *signature, const rewritten *new, const char *head,
                  gsize length)
{
    struct http_message before, after;
    const char *why, *text = (const char *)new->head->data;
    gsize size = new->head->len;
    g_auto(sigv4_request) read = {0};
    char hex[SIGV4_HEX + 1];
    assert(!has(text, size, KEY_SECRET));
    if (new->wrong || size >= HTTP_HEAD_MAX)
        return;
    assert(!has(text, size, ID) && !has(text, size, KEY) && !has(text, size, TOKEN));
    assert(http_read_request(head, length, 443, &before, &why) == HEAD_COMPLETE);
    assert(http_read_request(text, size, 443, &after, &why) == HEAD_COMPLETE);
    assert(after.length == size && after.body.kind == before.body.kind &&
           after.body.left == before.body.left && strcmp(after.host, before.host) == 0);
    g_autofree char *kept = kept_lines(head, length), *kept_after = kept_lines(text, size);
    assert(strcmp(kept, kept_after) == 0);
    /* It reads each field of a signature once, and nothing is left out. */
    assert(!sigv4_read(text, size, NOW, &read));
    assert(read.key_id.length == strlen(ID_SECRET) &&
           memcmp(read.key_id.text, ID_SECRET, read.key_id.length) == 0);
    struct http_text payload =
        read.payload.text ? read.payload : (struct http_text){signature->body, SIGV4_HEX};
    g_autofree char *canonical = sigv4_canonical(text, size, read.fields, payload, signature->form);
    assert(canonical);
    sigv4_sign(&read, with.key.value, canonical, hex);
    assert(memcmp(read.signature.text, hex, SIGV4_HEX) == 0 &&
           new->coded &&memcmp(new->coded->data, hex, SIGV4_HEX) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GString) text = g_string_new(NULL);
    struct http_message read;
    const char *why;
    prepare();
    if (size == 0)
        return 0;
    for (size_t i = 1; i < size; i++) {
        if (data[i] == '@' || data[i] == '#')
            g_string_append(text, data[i] == '@' ? ID : KEY);
        else
            g_string_append_c(text, (char)data[i]);
    }
    if (has(text->str, text->len, KEY_SECRET) ||
        http_read_request(text->str, text->len, 443, &read, &why) != HEAD_COMPLETE)
        return 0;
    gboolean is_signed = sign_as_box(text, read.length, data[0] % SIGV4_FORMS);
    g_auto(request_signature) signature = {0};
    why = request_signature_read(here, text->str, read.length, NOW, &signature);
    if (!why)
        why = request_signature_check(&signature, text->str, read.length, "", 0);
    if (why || !signature.with)
        return 0;
    assert(is_signed);
    g_auto(rewritten) new = {0};
    const rewrite_rules rules = {.all = here, .here = here, .signature = &signature};
    request_rewrite(&rules, text->str, read.length, &new);
    check(&signature, &new, text->str, read.length);
    return 0;
}
