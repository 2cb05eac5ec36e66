#include "host/secrets/request_rewrite.h"

#include <openssl/crypto.h>
#include <sodium.h>
#include <string.h>

#include "host/secrets/ranges.h"
#include "proto/http_fields.h"

#define AUTHORIZATION "Authorization"
#define X_API_KEY "X-Api-Key"
#define BASE64_PADDED sodium_base64_VARIANT_ORIGINAL

void rewritten_clear(rewritten *self)
{
    if (self->head) {
        OPENSSL_cleanse(self->head->data, self->head->len);
        g_byte_array_unref(self->head);
    }
    g_clear_pointer(&self->coded, secret_free);
}

static void put_span(rewritten *self, const char *text, gsize length)
{
    g_byte_array_append(self->head, (const guint8 *)text, (guint)length);
}

static void put_string(rewritten *self, const char *text)
{
    put_span(self, text, strlen(text));
}

/* "SCHEME REST" (RFC 9110, 11.4). */
static gboolean split_scheme(struct http_text value, struct http_text *scheme,
                             struct http_text *rest)
{
    const char *space = memchr(value.text, ' ', value.length);
    if (!space)
        return FALSE;
    *scheme = (struct http_text){value.text, (gsize)(space - value.text)};
    const char *end = value.text + value.length;
    while (space < end && *space == ' ')
        space++;
    *rest = (struct http_text){space, (gsize)(end - space)};
    return TRUE;
}

/* "USER:PASSWORD" of VALUE, "Basic BASE64" (RFC 7617), wiped by secret_free(); NULL. */
static secret *read_basic(struct http_text value)
{
    struct http_text scheme, rest;
    if (!split_scheme(value, &scheme, &rest) || !http_is(scheme, "Basic"))
        return NULL;
    secret *plain = secret_new(rest.length);
    gsize length = 0;
    const char *end = NULL;
    if (sodium_base642bin(plain->data, plain->length, rest.text, rest.length, NULL, &length, &end,
                          BASE64_PADDED) == 0 &&
        end == rest.text + rest.length) {
        plain->length = length;
        return plain;
    }
    secret_free(plain);
    return NULL;
}

static const held_secret *find_plain(const GPtrArray *all, const char *text, gsize length)
{
    for (guint i = 0; i < all->len; i++) {
        const held_secret *held = all->pdata[i];
        if (memmem(text, length, held->placeholder, strlen(held->placeholder)))
            return held;
    }
    return NULL;
}

const held_secret *placeholder_find(const GPtrArray *all, const char *text, gsize length)
{
    struct http_text name, value;
    const held_secret *found = find_plain(all, text, length);
    if (found || !http_split_field((struct http_text){text, length}, &name, &value))
        return found;
    g_autoptr(secret) plain = read_basic(value);
    return plain ? find_plain(all, (const char *)plain->data, plain->length) : NULL;
}

/* Substitution. */

static void put_secret(rewritten *self, const char *name, gsize name_length,
                       struct http_text scheme, const held_secret *held)
{
    put_span(self, name, name_length);
    put_string(self, ": ");
    put_span(self, scheme.text, scheme.length);
    put_span(self, " ", scheme.length > 0 ? 1 : 0);
    put_span(self, (const char *)held_secret_value(held)->data, held_secret_value(held)->length);
    put_string(self, "\r\n");
    self->used = held;
    if (held->login)
        self->coded = secret_copy(held_secret_value(held)->data, held_secret_value(held)->length);
}

static gboolean put_token(rewritten *self, struct http_text name, struct http_text value,
                          const held_secret *held)
{
    struct http_text scheme, rest;
    if (!split_scheme(value, &scheme, &rest) ||
        !(http_is(scheme, "Bearer") || http_is(scheme, "token")) ||
        !held_secret_is_named(held, rest) || (held->login && self->coded))
        return FALSE;
    put_secret(self, name.text, name.length, scheme, held);
    return TRUE;
}

/* Either part of the credentials: git has a token as password, or as user with any password. The
 * value is as long as its placeholder, so it takes its place. */
static gboolean put_basic(rewritten *self, struct http_text name, struct http_text value,
                          const held_secret *held)
{
    g_autoptr(secret) plain = read_basic(value);
    const char *text = plain ? (const char *)plain->data : NULL;
    const char *colon = plain ? memchr(text, ':', plain->length) : NULL;
    /* An answer can be searched for one coded secret. */
    if (!colon || self->coded)
        return FALSE;
    struct http_text user = {text, (gsize)(colon - text)};
    struct http_text password = {colon + 1, plain->length - user.length - 1};
    gboolean is_user = held_secret_is_named(held, user),
             is_password = held_secret_is_named(held, password);
    if (is_user)
        memcpy((char *)user.text, held->value->data, user.length);
    if (is_password)
        memcpy((char *)password.text, held->value->data, password.length);
    if (!is_user && !is_password)
        return FALSE;
    gsize size = sodium_base64_ENCODED_LEN(plain->length, BASE64_PADDED);
    g_autoptr(secret) coded = secret_new(size);
    sodium_bin2base64((char *)coded->data, size, plain->data, plain->length, BASE64_PADDED);
    put_span(self, name.text, name.length);
    put_string(self, ": Basic ");
    put_string(self, (const char *)coded->data);
    put_string(self, "\r\n");
    self->used = held;
    coded->length = size - 1;
    self->coded = g_steal_pointer(&coded);
    return TRUE;
}

static gboolean put_with(rewritten *self, struct http_text name, struct http_text value,
                         const held_secret *held)
{
    unsigned forms = held->definition->forms;
    gboolean is_authorization = http_is(name, AUTHORIZATION);
    if (is_authorization && (forms & SECRET_BEARER) && put_token(self, name, value, held))
        return TRUE;
    if (is_authorization && (forms & SECRET_BASIC) && put_basic(self, name, value, held))
        return TRUE;
    gboolean is_whole = ((forms & SECRET_X_API_KEY) && http_is(name, X_API_KEY)) ||
                        ((forms & SECRET_HEADER) && http_is(name, held->definition->header));
    if (!is_whole || !held_secret_is_named(held, value))
        return FALSE;
    put_secret(self, name.text, name.length, (struct http_text){0}, held);
    return TRUE;
}

/* Queries. */

/* VALUE, of which any byte may be coded (RFC 3986, 2.1), is the placeholder of HELD. */
static gboolean means_placeholder(struct http_text value, const held_secret *held)
{
    gsize at = 0, i = 0;
    for (; at < value.length && i < held->value->length; i++) {
        bool is_coded = value.text[at] == '%' && at + 2 < value.length;
        int high = is_coded ? g_ascii_xdigit_value(value.text[at + 1]) : -1;
        int low = high < 0 ? -1 : g_ascii_xdigit_value(value.text[at + 2]);
        char c = low < 0 ? value.text[at] : (char)(16 * high + low);
        if (c != held->placeholder[i])
            return FALSE;
        at += low < 0 ? 1 : 3;
    }
    return at == value.length && i == held->value->length;
}

/* "NAME=VALUE", with all of it coded that may need that. FALSE: nothing is written. */
static gboolean put_parameter(rewritten *self, const held_secret *held)
{
    static const char digits[] = "0123456789ABCDEF";
    g_autoptr(secret) coded = secret_new(3 * held->value->length);
    gsize used = 0;
    for (gsize i = 0; i < held->value->length; i++) {
        guint8 byte = held->value->data[i];
        if (g_ascii_isalnum(byte) || strchr("-._~", byte)) {
            coded->data[used++] = byte;
            continue;
        }
        coded->data[used++] = '%';
        coded->data[used++] = (guint8)digits[byte >> 4];
        coded->data[used++] = (guint8)digits[byte & 15];
    }
    gboolean is_plain = used == held->value->length;
    if (!is_plain && self->coded)
        return FALSE;
    coded->length = used;
    put_string(self, held->definition->query);
    put_string(self, "=");
    put_span(self, (const char *)coded->data, used);
    if (!is_plain)
        self->coded = g_steal_pointer(&coded);
    self->used = held;
    return TRUE;
}

static gboolean is_parameter(struct http_text text, const held_secret *held,
                             struct http_text *value)
{
    const char *name = held->definition->query;
    gsize length = name ? strlen(name) : 0;
    if (!name || text.length <= length || text.text[length] != '=' ||
        memcmp(text.text, name, length) != 0)
        return FALSE;
    *value = (struct http_text){text.text + length + 1, text.length - length - 1};
    return TRUE;
}

/* The secret that a base URL's host gets in the query; NULL: in a field. */
static const held_secret *own_parameter(const rewrite_rules *rules)
{
    const unsigned fields = SECRET_BEARER | SECRET_X_API_KEY | SECRET_HEADER;
    const held_secret *held = rules->always ? rules->here->pdata[0] : NULL;
    return held && (held->definition->forms & SECRET_QUERY) && !(held->definition->forms & fields)
               ? held
               : NULL;
}

/* FALSE: it is left out. */
static gboolean put_query_part(rewritten *self, const rewrite_rules *rules, struct http_text text,
                               char before)
{
    struct http_text value;
    const held_secret *own = own_parameter(rules);
    if (own && is_parameter(text, own, &value))
        return FALSE;
    put_span(self, &before, 1);
    for (guint i = 0; i < rules->here->len; i++) {
        const held_secret *held = rules->here->pdata[i];
        if (is_parameter(text, held, &value) && means_placeholder(value, held) &&
            put_parameter(self, held))
            return TRUE;
    }
    put_span(self, text.text, text.length);
    return TRUE;
}

/* "METHOD PATH?QUERY VERSION". */
static void put_request_line(rewritten *self, const rewrite_rules *rules, struct http_text line)
{
    const char *end = memrchr(line.text, ' ', line.length), *limit = line.text + line.length;
    const char *query = end ? memchr(line.text, '?', (gsize)(end - line.text)) : NULL;
    const held_secret *own = own_parameter(rules);
    char before = '?';
    if (!end || (!query && !own)) {
        put_span(self, line.text, line.length);
        return;
    }
    put_span(self, line.text, (gsize)((query ? query : end) - line.text));
    for (const char *at = query ? query + 1 : NULL; at && at <= end;) {
        const char *stop = memchr(at, '&', (gsize)(end - at));
        stop = stop ? stop : end;
        if (put_query_part(self, rules, (struct http_text){at, (gsize)(stop - at)}, before))
            before = '&';
        at = stop + 1;
    }
    if (own) {
        put_span(self, &before, 1);
        put_parameter(self, own);
    }
    put_span(self, end, (gsize)(limit - end));
}

static gboolean put_any(rewritten *self, const rewrite_rules *rules, struct http_text name,
                        struct http_text value)
{
    for (guint i = 0; i < rules->here->len; i++) {
        const held_secret *held = rules->here->pdata[i];
        if ((!held->login || held == rules->login) && put_with(self, name, value, held))
            return TRUE;
    }
    return FALSE;
}

/* The field that a base URL's host gets, and its scheme. */
static const char *own_field(const held_secret *held, struct http_text *scheme)
{
    unsigned forms = held->definition->forms;
    *scheme = (struct http_text){0};
    if (forms & SECRET_X_API_KEY)
        return X_API_KEY;
    if (forms & SECRET_HEADER)
        return held->definition->header;
    if (!(forms & SECRET_BEARER))
        return NULL;
    *scheme = (struct http_text){"Bearer", strlen("Bearer")};
    return AUTHORIZATION;
}

static void put_own(rewritten *self, const held_secret *held)
{
    struct http_text scheme;
    const char *field = own_field(held, &scheme);
    if (field)
        put_secret(self, field, strlen(field), scheme, held);
}

/* TRUE when the line is left out, or was written in another way. */
static gboolean put_changed(rewritten *self, const rewrite_rules *rules, struct http_text name,
                            struct http_text value)
{
    struct http_text scheme;
    const char *own = rules->always ? own_field(rules->here->pdata[0], &scheme) : NULL;
    /* They come back with the new signature. */
    if (rules->signature && (http_is(name, AUTHORIZATION) || http_is(name, SIGV4_TOKEN_FIELD)))
        return TRUE;
    if (http_asks_for_coding(name, value) || (own && http_is(name, own)) ||
        (rules->here->len > 0 && range_asks_for_many(name, value)))
        return TRUE;
    if (http_is(name, "Host") && rules->host) {
        put_string(self, "Host: ");
        put_string(self, rules->host);
        put_string(self, "\r\n");
        return TRUE;
    }
    return put_any(self, rules, name, value);
}

static void put_line(rewritten *self, const rewrite_rules *rules, struct http_text line)
{
    struct http_text name, value;
    gsize before = self->head->len;
    if (before == 0) {
        put_request_line(self, rules, line);
        put_string(self, "\r\n");
    } else if (!http_split_field(line, &name, &value) || !put_changed(self, rules, name, value)) {
        put_span(self, line.text, line.length);
        put_string(self, "\r\n");
    }
    gsize added = self->head->len - before;
    if (!self->wrong && added > 0)
        self->wrong =
            placeholder_find(rules->all, (const char *)self->head->data + before, added - 2);
}

static void put_signature(rewritten *self, const rewrite_rules *rules)
{
    const request_signature *signature = rules->signature;
    const struct http_text scope = signature->request.scope;
    secret *made = request_signature_add(signature, self->head);
    self->used = &signature->with->id;
    if (!self->wrong)
        self->wrong = made ? placeholder_find(rules->all, scope.text, scope.length) : self->used;
    /* An answer can be searched for one coded secret, and the other one is worth more. */
    if (!self->coded)
        self->coded = made;
    else
        secret_free(made);
}

/* Room for the new head of one of LENGTH bytes: to move it would leave a copy of a secret behind.
 * A value is as long as its placeholder, unless it signs or is added. */
static guint room(const rewrite_rules *rules, gsize length)
{
    gsize size = 2 * length + (rules->host ? strlen(rules->host) : 0) + 1024;
    for (guint i = 0; i < rules->here->len; i++) {
        const held_secret *held = rules->here->pdata[i];
        size += held_secret_value(held) ? 2 * held_secret_value(held)->length : 0;
        if (held->signs && held->signs->token.value)
            size += held->signs->token.value->length;
    }
    return (guint)size;
}

void request_rewrite(const rewrite_rules *rules, const char *head, gsize length, rewritten *result)
{
    gsize at = 0;
    struct http_text line;
    *result = (rewritten){.head = g_byte_array_sized_new(room(rules, length))};
    while (http_next_line(head, length, &at, &line) && line.length > 0)
        put_line(result, rules, line);
    if (rules->always)
        put_own(result, rules->here->pdata[0]);
    put_string(result, "Accept-Encoding: identity\r\n");
    if (rules->signature)
        put_signature(result, rules);
    put_string(result, "\r\n");
}
