/* Heads of HTTP/2 as those of HTTP/1.1, and the list of protocols that a client offers. */
#include <glib.h>
#include <string.h>

#include "host/secrets/alpn.h"
#include "host/secrets/h2_head.h"
#include "host/secrets/request_rewrite.h"

/* "NAME=VALUE" each, until NULL. */
static void add_all(h2_head *head, const char *const *fields)
{
    for (; *fields; fields++) {
        const char *equals = strchr(*fields, '=');
        h2_head_add(head, *fields, (gsize)(equals - *fields), equals + 1, strlen(equals + 1));
    }
}

static char *text_of(enum h2_kind kind, const char *const *fields, unsigned *status)
{
    const char *why = NULL;
    g_auto(h2_head) head = {0};
    add_all(&head, fields);
    g_autoptr(GByteArray) text = h2_head_text(&head, kind, status, &why);
    g_assert_true(text ? !why : *why != '\0');
    return text ? g_strndup((const char *)text->data, text->len) : NULL;
}

#define GET ":method=GET", ":scheme=https", ":path=/a?b=c"
#define TEXT(kind, status, ...) text_of(kind, (const char *const[]){__VA_ARGS__, NULL}, status)

static void requests(void)
{
    unsigned status;
    g_autofree char *text = TEXT(H2_REQUEST, &status, GET, ":authority=a.test", "x-a=b", "cookie=a",
                                 "cookie=b", "te=trailers", "host=a.test");
    g_assert_cmpstr(text, ==,
                    "GET /a?b=c HTTP/1.1\r\nHost: a.test\r\nx-a: b\r\ncookie: a\r\ncookie: b\r\n"
                    "te: trailers\r\n\r\n");
    g_autofree char *host = TEXT(H2_REQUEST, &status, GET, "host=a.test:8443");
    g_assert_cmpstr(host, ==, "GET /a?b=c HTTP/1.1\r\nHost: a.test:8443\r\n\r\n");
}

#define REFUSED(expected, ...)                                          \
    do {                                                                \
        unsigned status = 0;                                            \
        g_autofree char *text = TEXT(H2_REQUEST, &status, __VA_ARGS__); \
        g_assert_null(text);                                            \
        g_assert_cmpuint(status, ==, expected);                         \
    } while (0)

/* nghttp2 refuses most of it before; what becomes a text must not depend on that. */
static void refused_requests(void)
{
    REFUSED(421, GET, ":authority=a.test", "host=b.test");
    REFUSED(400, GET);
    REFUSED(400, ":method=GET", ":scheme=https", ":authority=a.test");
    REFUSED(400, ":method=GET", ":path=/", ":authority=a.test");
    REFUSED(400, ":method=GET", ":scheme=https", ":path=", ":authority=a.test");
    REFUSED(400, ":method=GET", ":scheme=http", ":path=/", ":authority=a.test");
    REFUSED(400, ":method=CONNECT", ":scheme=https", ":path=/", ":authority=a.test");
    REFUSED(400, ":method=GET / HTTP/1.1", ":scheme=https", ":path=/", ":authority=a.test");
    REFUSED(400, ":method=GET", ":scheme=https", ":path=/ HTTP/1.1", ":authority=a.test");
    REFUSED(400, ":method=GET", ":scheme=https", ":path=/\r\nx: y", ":authority=a.test");
    REFUSED(400, GET, ":authority=a.test\r\nx: y");
    REFUSED(400, GET, ":authority=a.test", ":path=/b");
    REFUSED(400, GET, ":authority=a.test", ":protocol=websocket");
    REFUSED(400, GET, ":authority=a.test", ":status=200");
    REFUSED(400, GET, ":authority=a.test", "x=y\nz");
    REFUSED(400, GET, ":authority=a.test", "X=y");
    REFUSED(400, GET, ":authority=a.test", "x:y=z");
    REFUSED(400, GET, ":authority=a.test", "x y=z");
    REFUSED(400, GET, ":authority=a.test", "=z");
    REFUSED(400, GET, "x=y", ":authority=a.test");
    REFUSED(400, GET, ":authority=a.test", "host=a.test", "host=a.test");
    REFUSED(400, GET, ":authority=a.test", "transfer-encoding=chunked");
    REFUSED(400, GET, ":authority=a.test", "connection=close");
    REFUSED(400, GET, ":authority=a.test", "keep-alive=1");
    REFUSED(400, GET, ":authority=a.test", "proxy-connection=close");
    REFUSED(400, GET, ":authority=a.test", "upgrade=h2c");
    REFUSED(400, GET, ":authority=a.test", "te=gzip");
}

static void long_head(void)
{
    unsigned status;
    const char *why = NULL;
    g_auto(h2_head) head = {0};
    g_autofree char *value = g_strnfill(1000, 'x');
    add_all(&head, (const char *const[]){GET, ":authority=a.test", NULL});
    for (int i = 0; i < 1000; i++)
        h2_head_add(&head, "x", 1, value, strlen(value));
    g_assert_cmpuint(head.fields->len, <=, HTTP_HEAD_MAX);
    g_assert_null(h2_head_text(&head, H2_REQUEST, &status, &why));
    g_assert_cmpstr(why, ==, "its head is too long");
}

static void answers(void)
{
    unsigned status;
    g_autofree char *text = TEXT(H2_RESPONSE, &status, ":status=200", "a=b");
    g_assert_cmpstr(text, ==, "HTTP/1.1 200\r\na: b\r\n\r\n");
    g_autofree char *trailers = TEXT(H2_TRAILERS, &status, "grpc-status=0");
    g_assert_cmpstr(trailers, ==, "grpc-status: 0\r\n\r\n");
    g_assert_null(TEXT(H2_RESPONSE, &status, "a=b"));
    g_assert_null(TEXT(H2_RESPONSE, &status, ":status=200 OK"));
    g_assert_null(TEXT(H2_RESPONSE, &status, ":status=200", ":path=/"));
    g_assert_null(TEXT(H2_RESPONSE, &status, ":status=200", "host=a.test"));
    g_assert_null(TEXT(H2_RESPONSE, &status, ":status=200", "a=b\r\nset-cookie: c"));
    g_assert_null(TEXT(H2_TRAILERS, &status, ":status=200"));
    g_assert_null(TEXT(H2_TRAILERS, &status, "host=a.test"));
}

static char *back(enum h2_kind kind, const char *text)
{
    g_autoptr(GArray) fields = h2_head_fields(kind, text, strlen(text));
    GString *list = g_string_new(NULL);
    for (guint i = 0; i < fields->len; i++) {
        const h2_field *each = &g_array_index(fields, h2_field, i);
        g_string_append_printf(list, "%.*s=%.*s|", (int)each->name.length, each->name.text,
                               (int)each->value.length, each->value.text);
    }
    return g_string_free(list, FALSE);
}

static void fields(void)
{
    g_autofree char *request =
        back(H2_REQUEST, "GET /a?b HTTP/1.1\r\nx: y\r\nHost: a.test\r\nAuthorization: c\r\n\r\n");
    g_assert_cmpstr(request, ==,
                    ":authority=a.test|:method=GET|:scheme=https|:path=/a?b|x=y|Authorization=c|");
    g_autofree char *answer = back(H2_RESPONSE, "HTTP/1.1 200\r\na: b\r\n\r\n");
    g_assert_cmpstr(answer, ==, ":status=200|a=b|");
    g_autofree char *trailers = back(H2_TRAILERS, "a: b\r\nc: \r\n\r\n");
    g_assert_cmpstr(trailers, ==, "a=b|c=|");
}

/* Nobody could look for a secret in a coded answer; trailers are asked for in this field, too. */
static void codings(void)
{
    static const char head[] = "POST / HTTP/1.1\r\nHost: a.test\r\ngrpc-accept-encoding: gzip\r\n"
                               "connect-accept-encoding: br\r\nte: trailers\r\nte: gzip\r\n"
                               "accept-encoding: gzip\r\n\r\n";
    g_autoptr(GPtrArray) none = g_ptr_array_new();
    const rewrite_rules rules = {.all = none, .here = none};
    g_auto(rewritten) new = {0};
    request_rewrite(&rules, head, strlen(head), &new);
    g_autofree char *text = g_strndup((const char *)new.head->data, new.head->len);
    g_assert_cmpstr(text, ==,
                    "POST / HTTP/1.1\r\nHost: a.test\r\nte: trailers\r\n"
                    "Accept-Encoding: identity\r\n\r\n");
}

static void protocols(void)
{
    static const unsigned char list[] = "\0\x0e\x02h2\x08http/1.1\x01x";
    static const unsigned char cut[] = "\0\x04\x08http/1.";
    g_assert_true(alpn_offers(list, sizeof list - 1, "h2"));
    g_assert_true(alpn_offers(list, sizeof list - 1, "http/1.1"));
    g_assert_true(alpn_offers(list, sizeof list - 1, "x"));
    g_assert_false(alpn_offers(list, sizeof list - 1, "h"));
    g_assert_false(alpn_offers(list, sizeof list - 1, "h3"));
    g_assert_false(alpn_offers(list, 4, "h2"));
    g_assert_false(alpn_offers(cut, sizeof cut - 1, "http/1.1"));
    g_assert_false(alpn_offers(list, 0, "h2"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/secrets_h2/requests", requests);
    g_test_add_func("/secrets_h2/refused_requests", refused_requests);
    g_test_add_func("/secrets_h2/long_head", long_head);
    g_test_add_func("/secrets_h2/answers", answers);
    g_test_add_func("/secrets_h2/fields", fields);
    g_test_add_func("/secrets_h2/codings", codings);
    g_test_add_func("/secrets_h2/protocols", protocols);
    return g_test_run();
}
