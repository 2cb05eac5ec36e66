#include "host/secrets/sigv4.h"

#include <sodium.h>
#include <string.h>
#include <time.h>

#define SIGNING_SCHEME "AWS4-HMAC-SHA256"
#define TERMINATOR "aws4_request"
#define PART_MAX 64

void sigv4_request_clear(sigv4_request *self)
{
    g_clear_pointer(&self->fields, g_strfreev);
}

/* TEXT up to END, which is then the rest of it. FALSE: it has no END. */
static gboolean take(struct http_text *text, char end, struct http_text *part)
{
    const char *stop = memchr(text->text, end, text->length);
    if (!stop)
        return FALSE;
    *part = (struct http_text){text->text, (gsize)(stop - text->text)};
    *text = (struct http_text){stop + 1, text->length - part->length - 1};
    return TRUE;
}

static gboolean is_made_of(struct http_text text, const char *allowed)
{
    for (gsize i = 0; i < text.length; i++)
        if (!text.text[i] || !strchr(allowed, text.text[i]))
            return FALSE;
    return text.length > 0 && text.length <= PART_MAX;
}

/* "ID/20150830/us-east-1/iam/aws4_request". */
static gboolean read_credential(struct http_text rest, sigv4_request *self)
{
    static const char name[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    if (!take(&rest, '/', &self->key_id))
        return FALSE;
    self->scope = rest;
    return take(&rest, '/', &self->date) && take(&rest, '/', &self->region) &&
           take(&rest, '/', &self->service) && self->date.length == strlen("YYYYMMDD") &&
           is_made_of(self->date, "0123456789") && is_made_of(self->region, name) &&
           is_made_of(self->service, name) && http_is_exactly(rest, TERMINATOR);
}

static gboolean is_field_name(const char *name)
{
    for (const char *c = name; *c; c++)
        if (g_ascii_isupper(*c))
            return FALSE;
    return http_is_token(name, strlen(name)) && strcmp(name, "authorization") != 0;
}

static gboolean read_signed_fields(struct http_text list, sigv4_request *self)
{
    g_autofree char *text = g_strndup(list.text, list.length);
    g_clear_pointer(&self->fields, g_strfreev);
    self->fields = g_strsplit(text, ";", SIGV4_FIELDS_MAX + 1);
    for (char **name = self->fields; *name; name++)
        if (!is_field_name(*name) || (name > self->fields && strcmp(name[-1], *name) >= 0))
            return FALSE;
    return g_strv_length(self->fields) <= SIGV4_FIELDS_MAX;
}

static gboolean read_element(struct http_text element, sigv4_request *self, unsigned *seen)
{
    struct http_text name;
    static const char *const names[] = {"Credential", "SignedHeaders", "Signature"};
    if (!take(&element, '=', &name))
        return FALSE;
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        if (name.length != strlen(names[i]) || memcmp(name.text, names[i], name.length) != 0)
            continue;
        if (*seen & 1U << i)
            return FALSE;
        *seen |= 1U << i;
        if (i == 0)
            return read_credential(element, self);
        if (i == 1)
            return read_signed_fields(element, self);
        self->signature = element;
        return element.length == SIGV4_HEX && is_made_of(element, "0123456789abcdef");
    }
    return FALSE;
}

/* "AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…", in any order. */
static gboolean read_authorization(struct http_text value, sigv4_request *self)
{
    struct http_text scheme, element;
    unsigned seen = 0;
    if (!take(&value, ' ', &scheme) || !http_is_exactly(scheme, SIGNING_SCHEME))
        return FALSE;
    while (http_next_element(&value, &element))
        if (!read_element(element, self, &seen))
            return FALSE;
    return seen == 7;
}

/* Fields. */

/* A field that must be there once at most; FALSE: it is there again. */
static gboolean keep_once(struct http_text *kept, struct http_text value)
{
    if (kept->text)
        return FALSE;
    *kept = value;
    return TRUE;
}

static gboolean take_field(struct http_text name, struct http_text value, sigv4_request *self,
                           struct http_text *authorization)
{
    if (http_is(name, "Authorization"))
        return keep_once(authorization, value);
    if (http_is(name, "X-Amz-Date"))
        return keep_once(&self->time, value);
    if (http_is(name, "X-Amz-Content-Sha256"))
        return keep_once(&self->payload, value);
    return !http_is(name, SIGV4_TOKEN_FIELD) || keep_once(&self->token, value);
}

static gboolean is_signed(const sigv4_request *self, struct http_text name)
{
    for (char **field = self->fields; *field; field++)
        if (http_is(name, *field))
            return TRUE;
    return FALSE;
}

/* Host, by which the signature is worth nothing elsewhere, and all that AWS takes for its own. */
static gboolean must_be_signed(struct http_text name)
{
    static const char own[] = "x-amz-";
    struct http_text start = {name.text, MIN(name.length, strlen(own))};
    return http_is(name, "Host") || http_is(start, own);
}

static const char *check_fields(const char *head, gsize length, const sigv4_request *self)
{
    gsize at = 0;
    struct http_text line, name, value;
    while (http_next_line(head, length, &at, &line))
        if (http_split_field(line, &name, &value) && must_be_signed(name) && !is_signed(self, name))
            return "its signature leaves out Host or a field of AWS (X-Amz-...)";
    return NULL;
}

static const char *check_payload(struct http_text payload)
{
    static const char *const others[] = {"UNSIGNED-PAYLOAD", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"};
    if (!payload.text || (payload.length == SIGV4_HEX && is_made_of(payload, "0123456789abcdef")))
        return NULL;
    for (gsize i = 0; i < G_N_ELEMENTS(others); i++)
        if (http_is_exactly(payload, others[i]))
            return NULL;
    return "its X-Amz-Content-Sha256 says that parts of the body are signed, too, which cannot be "
           "done anew: have the client sign the whole body, or none of it";
}

static int digits(const char *text, int count)
{
    int number = 0;
    for (int i = 0; i < count; i++)
        number = number * 10 + (text[i] - '0');
    return number;
}

/* "20150830T123600Z". */
static gboolean read_time(struct http_text text, gint64 *seconds)
{
    static const char shape[] = "00000000T000000Z";
    if (text.length != strlen(shape))
        return FALSE;
    for (gsize i = 0; i < text.length; i++)
        if (shape[i] == '0' ? !g_ascii_isdigit(text.text[i]) : text.text[i] != shape[i])
            return FALSE;
    struct tm parts = {.tm_year = digits(text.text, 4) - 1900,
                       .tm_mon = digits(text.text + 4, 2) - 1,
                       .tm_mday = digits(text.text + 6, 2),
                       .tm_hour = digits(text.text + 9, 2),
                       .tm_min = digits(text.text + 11, 2),
                       .tm_sec = digits(text.text + 13, 2)};
    *seconds = timegm(&parts);
    return TRUE;
}

static const char *check_time(const sigv4_request *self, gint64 now)
{
    gint64 seconds;
    if (!self->time.text || !read_time(self->time, &seconds))
        return "it has no X-Amz-Date such as 20150830T123600Z";
    if (memcmp(self->time.text, self->date.text, self->date.length) != 0)
        return "its signature is for another day than its X-Amz-Date";
    if (seconds < now - SIGV4_SKEW_SECONDS || seconds > now + SIGV4_SKEW_SECONDS)
        return "its X-Amz-Date is more than 15 minutes from now";
    return NULL;
}

const char *sigv4_read(const char *head, gsize length, gint64 now, sigv4_request *self)
{
    gsize at = 0;
    struct http_text line, name, value, authorization = {0};
    *self = (sigv4_request){0};
    while (http_next_line(head, length, &at, &line))
        if (http_split_field(line, &name, &value) && !take_field(name, value, self, &authorization))
            return "it has a field of its signature twice";
    if (!authorization.text || !read_authorization(authorization, self))
        return "its Authorization is not 'AWS4-HMAC-SHA256 Credential=..., SignedHeaders=..., "
               "Signature=...'";
    const char *why = check_fields(head, length, self);
    why = why ? why : check_payload(self->payload);
    return why ? why : check_time(self, now);
}

/* Signatures. */

static void hmac(guint8 out[crypto_auth_hmacsha256_BYTES], const guint8 *key, gsize key_length,
                 const char *text, gsize length)
{
    crypto_auth_hmacsha256_state state;
    crypto_auth_hmacsha256_init(&state, key, key_length);
    crypto_auth_hmacsha256_update(&state, (const guint8 *)text, length);
    crypto_auth_hmacsha256_final(&state, out);
    sodium_memzero(&state, sizeof state);
}

/* The key for one day, region and service. */
static void derive(guint8 key[crypto_auth_hmacsha256_BYTES], const sigv4_request *request,
                   const secret *from)
{
    static const char prefix[] = "AWS4";
    const gsize size = crypto_auth_hmacsha256_BYTES;
    g_autoptr(secret) first = secret_new(strlen(prefix) + from->length);
    memcpy(first->data, prefix, strlen(prefix));
    memcpy(first->data + strlen(prefix), from->data, from->length);
    hmac(key, first->data, first->length, request->date.text, request->date.length);
    hmac(key, key, size, request->region.text, request->region.length);
    hmac(key, key, size, request->service.text, request->service.length);
    hmac(key, key, size, TERMINATOR, strlen(TERMINATOR));
}

void sigv4_sign(const sigv4_request *request, const secret *key, const char *canonical,
                char hex[SIGV4_HEX + 1])
{
    guint8 hash[crypto_hash_sha256_BYTES], derived[crypto_auth_hmacsha256_BYTES];
    crypto_hash_sha256(hash, (const guint8 *)canonical, strlen(canonical));
    sodium_bin2hex(hex, SIGV4_HEX + 1, hash, sizeof hash);
    g_autofree char *text =
        g_strdup_printf(SIGNING_SCHEME "\n%.*s\n%.*s\n%s", (int)request->time.length,
                        request->time.text, (int)request->scope.length, request->scope.text, hex);
    derive(derived, request, key);
    hmac(hash, derived, sizeof derived, text, strlen(text));
    sodium_bin2hex(hex, SIGV4_HEX + 1, hash, sizeof hash);
    sodium_memzero(derived, sizeof derived);
}
