#include "host/secrets/request_signature.h"

#include <sodium.h>
#include <string.h>

void request_signature_clear(request_signature *self)
{
    sigv4_request_clear(&self->request);
}

static gboolean has(struct http_text text, const char *word)
{
    return memmem(text.text, text.length, word, strlen(word)) != NULL;
}

static const signing_credentials *find_in(const GPtrArray *here, struct http_text text)
{
    for (guint i = 0; i < here->len; i++) {
        const held_secret *held = here->pdata[i];
        if (held->signs && has(text, held->placeholder))
            return held->signs;
    }
    return NULL;
}

/* Those whose placeholder is in an Authorization field. */
static const signing_credentials *find(const GPtrArray *here, const char *head, gsize length)
{
    gsize at = 0;
    const signing_credentials *found = NULL;
    struct http_text line, name, value;
    while (!found && http_next_line(head, length, &at, &line))
        if (http_split_field(line, &name, &value) && http_is(name, "Authorization"))
            found = find_in(here, value);
    return found;
}

const char *request_signature_read(const GPtrArray *here, const char *head, gsize length,
                                   gint64 now, request_signature *self)
{
    gsize at = 0;
    struct http_text line;
    *self = (request_signature){.with = find(here, head, length)};
    if (!self->with && http_next_line(head, length, &at, &line) && find_in(here, line))
        return "a presigned URL is not signed anew: only an Authorization field is";
    if (!self->with)
        return NULL;
    const char *why = sigv4_read(head, length, now, &self->request);
    if (why)
        return why;
    if (!http_is_exactly(self->request.key_id, self->with->id.placeholder))
        return "its signature is of another access key";
    if (self->request.token.text &&
        !http_is_exactly(self->request.token, self->with->token.placeholder))
        return "its X-Amz-Security-Token is not the placeholder";
    return NULL;
}

gboolean request_signature_needs_body(const request_signature *self)
{
    return self->with && !self->request.payload.text;
}

static struct http_text payload(const request_signature *self)
{
    return self->request.payload.text ? self->request.payload
                                      : (struct http_text){self->body, SIGV4_HEX};
}

static gboolean is_signed_as(const request_signature *self, const char *head, gsize length,
                             enum sigv4_form form)
{
    char hex[SIGV4_HEX + 1];
    char *placeholder = self->with->key.placeholder;
    const secret key = {(guint8 *)placeholder, strlen(placeholder)};
    g_autofree char *text =
        sigv4_canonical(head, length, self->request.fields, payload(self), form);
    if (!text)
        return FALSE;
    sigv4_sign(&self->request, &key, text, hex);
    return http_is_exactly(self->request.signature, hex);
}

const char *request_signature_check(request_signature *self, const char *head, gsize length,
                                    const void *body, gsize body_length)
{
    guint8 hash[crypto_hash_sha256_BYTES];
    if (!self->with)
        return NULL;
    if (request_signature_needs_body(self)) {
        crypto_hash_sha256(hash, body, body_length);
        sodium_bin2hex(self->body, sizeof self->body, hash, sizeof hash);
    }
    for (self->form = 0; self->form < SIGV4_FORMS; self->form++)
        if (is_signed_as(self, head, length, self->form))
            return NULL;
    return "its signature does not fit: it was signed with another secret access key, or changed "
           "after that";
}

/* Those of the box, with the field of the token where there is one. */
static char **signed_fields(const request_signature *self)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    gboolean adds = self->with->token.value != NULL;
    for (char **name = self->request.fields; *name; name++) {
        int order = strcmp(*name, SIGV4_TOKEN_FIELD);
        if (adds && order > 0) {
            g_ptr_array_add(names, g_strdup(SIGV4_TOKEN_FIELD));
            adds = FALSE;
        }
        if (order != 0)
            g_ptr_array_add(names, g_strdup(*name));
    }
    if (adds)
        g_ptr_array_add(names, g_strdup(SIGV4_TOKEN_FIELD));
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&names), FALSE);
}

static void add_to_head(GByteArray *head, const char *text)
{
    g_byte_array_append(head, (const guint8 *)text, (guint)strlen(text));
}

static void add_secret(GByteArray *head, const secret *value)
{
    g_byte_array_append(head, value->data, (guint)value->length);
}

secret *request_signature_add(const request_signature *self, GByteArray *head)
{
    char hex[SIGV4_HEX + 1];
    const signing_credentials *with = self->with;
    g_auto(GStrv) fields = signed_fields(self);
    g_autofree char *names = g_strjoinv(";", fields);
    if (with->token.value) {
        add_to_head(head, SIGV4_TOKEN_FIELD ": ");
        add_secret(head, with->token.value);
        add_to_head(head, "\r\n");
    }
    char *text =
        sigv4_canonical((const char *)head->data, head->len, fields, payload(self), self->form);
    if (!text)
        return NULL;
    sigv4_sign(&self->request, with->key.value, text, hex);
    /* It has the token. */
    sodium_memzero(text, strlen(text));
    g_free(text);
    add_to_head(head, "Authorization: AWS4-HMAC-SHA256 Credential=");
    add_secret(head, with->id.value);
    add_to_head(head, "/");
    g_byte_array_append(head, (const guint8 *)self->request.scope.text,
                        (guint)self->request.scope.length);
    add_to_head(head, ", SignedHeaders=");
    add_to_head(head, names);
    add_to_head(head, ", Signature=");
    add_to_head(head, hex);
    add_to_head(head, "\r\n");
    return secret_copy((const guint8 *)hex, SIGV4_HEX);
}
