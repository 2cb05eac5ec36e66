#include "host/secrets/h2_head.h"

#include <sodium.h>
#include <string.h>

#define HTTP_SCHEME "https"
#define VERSION "HTTP/1.1"

static const char *const pseudo_names[] = {":method", ":scheme", ":authority", ":path", ":status"};

static void put_bytes(GByteArray *to, const char *text, gsize length)
{
    g_byte_array_append(to, (const guint8 *)text, (guint)length);
}

static void put_word(GByteArray *to, const char *text)
{
    put_bytes(to, text, strlen(text));
}

/* Reading. */

/* What frames a message of HTTP/1 alone, or changes what is spoken (RFC 9113, 8.2.2). */
static gboolean is_of_connection(struct http_text name)
{
    static const char *const names[] = {"connection", "keep-alive", "proxy-connection",
                                        "transfer-encoding", "upgrade"};
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
        if (http_is(name, names[i]))
            return TRUE;
    return FALSE;
}

static gboolean has_upper_case(struct http_text name)
{
    for (gsize i = 0; i < name.length; i++)
        if (g_ascii_isupper(name.text[i]))
            return TRUE;
    return FALSE;
}

static const char *keep(GByteArray **at, struct http_text value)
{
    if (*at)
        return "it has a field twice that may be there once";
    *at = g_byte_array_new();
    put_bytes(*at, value.text, value.length);
    return NULL;
}

static const char *add_pseudo(h2_head *self, struct http_text name, struct http_text value)
{
    if (self->fields || self->host)
        return "it has a malformed field";
    for (gsize i = 0; i < N_H2_PSEUDO; i++)
        if (http_is_exactly(name, pseudo_names[i]))
            return keep(&self->pseudo[i], value);
    return "it asks for a protocol within HTTP/2"; /* ":protocol" (RFC 8441) */
}

/* NULL, or what is wrong with it. */
static const char *add_pseudo_or_field(h2_head *self, struct http_text name, struct http_text value)
{
    if (!http_is_clean(value.text, value.length))
        return "it has a malformed field";
    if (name.length > 0 && name.text[0] == ':')
        return add_pseudo(self, name, value);
    if (!http_is_token(name.text, name.length) || has_upper_case(name))
        return "it has a malformed field";
    if (is_of_connection(name) ||
        (http_is_exactly(name, "te") && !http_is_exactly(value, "trailers")))
        return "it has a field that HTTP/2 does not have";
    if (http_is_exactly(name, "host"))
        return keep(&self->host, value);
    if (!self->fields)
        self->fields = g_byte_array_new();
    put_bytes(self->fields, name.text, name.length);
    put_word(self->fields, ": ");
    put_bytes(self->fields, value.text, value.length);
    put_word(self->fields, "\r\n");
    return NULL;
}

void h2_head_add(h2_head *self, const void *name, gsize name_length, const void *value,
                 gsize value_length)
{
    self->size += name_length + value_length + strlen(": \r\n");
    if (!self->wrong && self->size > HTTP_HEAD_MAX)
        self->wrong = "its head is too long";
    if (!self->wrong)
        self->wrong = add_pseudo_or_field(self, (struct http_text){name, name_length},
                                          (struct http_text){value, value_length});
}

static void clear(GByteArray **array)
{
    if (*array) {
        sodium_memzero((*array)->data, (*array)->len);
        g_byte_array_unref(*array);
    }
    *array = NULL;
}

void h2_head_clear(h2_head *self)
{
    for (gsize i = 0; i < N_H2_PSEUDO; i++)
        clear(&self->pseudo[i]);
    clear(&self->host);
    clear(&self->fields);
    *self = (h2_head){0};
}

/* The text. */

/* An array that is empty has no memory. */
static struct http_text array_text(const GByteArray *array)
{
    const char *text = array && array->data ? (const char *)array->data : "";
    return array ? (struct http_text){text, array->len} : (struct http_text){0};
}

/* In place of ":authority" a request may have "host" (RFC 9113, 8.3.1). */
static gboolean has_its_pseudo(const h2_head *self, enum h2_kind kind)
{
    static const gboolean wanted[][N_H2_PSEUDO] = {[H2_REQUEST] = {TRUE, TRUE, TRUE, TRUE, FALSE},
                                                   [H2_RESPONSE] = {[H2_STATUS] = TRUE},
                                                   [H2_TRAILERS] = {FALSE}};
    for (gsize i = 0; i < N_H2_PSEUDO; i++) {
        gboolean is_host = kind == H2_REQUEST && i == H2_AUTHORITY && self->host;
        if ((self->pseudo[i] || is_host) != wanted[kind][i])
            return FALSE;
    }
    return TRUE;
}

static gboolean is_for_path(struct http_text method, struct http_text path)
{
    return http_is_token(method.text, method.length) && !http_is(method, "CONNECT") &&
           path.length > 0 && !memchr(path.text, ' ', path.length);
}

static const char *wrong_request(const h2_head *self, unsigned *status)
{
    struct http_text authority = array_text(self->pseudo[H2_AUTHORITY]),
                     host = array_text(self->host);
    if (!has_its_pseudo(self, H2_REQUEST) ||
        !is_for_path(array_text(self->pseudo[H2_METHOD]), array_text(self->pseudo[H2_PATH])))
        return "it is not a request for a path";
    if (!http_is_exactly(array_text(self->pseudo[H2_SCHEME]), HTTP_SCHEME))
        return "its scheme is not https";
    if (authority.text && host.text &&
        (authority.length != host.length || memcmp(authority.text, host.text, host.length) != 0)) {
        *status = 421;
        return "its Host is another one";
    }
    return NULL;
}

static const char *wrong_answer(const h2_head *self, enum h2_kind kind)
{
    struct http_text status = array_text(self->pseudo[H2_STATUS]);
    gboolean is_wrong = !has_its_pseudo(self, kind) || self->host;
    for (gsize i = 0; i < status.length; i++)
        is_wrong |= !g_ascii_isdigit(status.text[i]);
    return is_wrong ? "it has fields that do not belong there" : NULL;
}

static void put_first_lines(const h2_head *self, enum h2_kind kind, GByteArray *text)
{
    const GByteArray *host = self->pseudo[H2_AUTHORITY] ? self->pseudo[H2_AUTHORITY] : self->host;
    if (kind == H2_RESPONSE) {
        put_word(text, VERSION " ");
        g_byte_array_append(text, self->pseudo[H2_STATUS]->data, self->pseudo[H2_STATUS]->len);
    } else {
        g_byte_array_append(text, self->pseudo[H2_METHOD]->data, self->pseudo[H2_METHOD]->len);
        put_word(text, " ");
        g_byte_array_append(text, self->pseudo[H2_PATH]->data, self->pseudo[H2_PATH]->len);
        put_word(text, " " VERSION "\r\nHost: ");
        g_byte_array_append(text, host->data, host->len);
    }
    put_word(text, "\r\n");
}

GByteArray *h2_head_text(const h2_head *self, enum h2_kind kind, unsigned *status, const char **why)
{
    *status = 400;
    *why = self->wrong;
    if (!*why)
        *why = kind == H2_REQUEST ? wrong_request(self, status) : wrong_answer(self, kind);
    if (*why)
        return NULL;
    GByteArray *text = g_byte_array_sized_new((guint)self->size + 64);
    if (kind != H2_TRAILERS)
        put_first_lines(self, kind, text);
    if (self->fields)
        g_byte_array_append(text, self->fields->data, self->fields->len);
    put_word(text, "\r\n");
    return text;
}

/* Back. */

static void append_field(GArray *to, const char *name, struct http_text value)
{
    const h2_field made = {{name, strlen(name)}, value};
    g_array_append_val(to, made);
}

/* "METHOD PATH VERSION", or "VERSION STATUS". */
static void add_first_line(GArray *to, enum h2_kind kind, struct http_text line)
{
    const char *space = memchr(line.text, ' ', line.length);
    struct http_text first = {line.text, (gsize)(space - line.text)};
    struct http_text rest = {space + 1, line.length - first.length - 1};
    if (kind == H2_RESPONSE) {
        append_field(to, pseudo_names[H2_STATUS], rest);
        return;
    }
    rest.length -= strlen(" " VERSION);
    append_field(to, pseudo_names[H2_METHOD], first);
    append_field(to, pseudo_names[H2_SCHEME], (struct http_text){HTTP_SCHEME, strlen(HTTP_SCHEME)});
    append_field(to, pseudo_names[H2_PATH], rest);
}

/* Pseudo fields come first. */
static void add_authority(GArray *to, struct http_text value)
{
    const h2_field made = {{pseudo_names[H2_AUTHORITY], strlen(pseudo_names[H2_AUTHORITY])}, value};
    g_array_insert_val(to, 0, made);
}

GArray *h2_head_fields(enum h2_kind kind, const char *head, gsize length)
{
    gsize at = 0;
    struct http_text line;
    GArray *fields = g_array_new(FALSE, FALSE, sizeof(h2_field));
    if (kind != H2_TRAILERS && http_next_line(head, length, &at, &line))
        add_first_line(fields, kind, line);
    while (http_next_line(head, length, &at, &line) && line.length > 0) {
        h2_field field;
        if (!http_split_field(line, &field.name, &field.value))
            continue;
        if (kind == H2_REQUEST && http_is(field.name, "Host"))
            add_authority(fields, field.value);
        else
            g_array_append_val(fields, field);
    }
    return fields;
}
