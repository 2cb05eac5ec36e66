/* What litterbox-secrets understands of HTTP: messages, placeholders, and what it puts into heads.
 */
#include <glib.h>
#include <string.h>

#include "host/secrets/placeholder.h"
#include "host/secrets/request_rewrite.h"
#include "host/secrets/response_guard.h"
#include "proto/http_message.h"

#define VALUE "ghp_realRealreal0123456789ABCDEFabcdef12"
#define OTHER "sk-ant-api03-anotherSecretOfTheSameBox_0123456789"

/* Placeholders. */

static const guint8 key[PLACEHOLDER_KEY] = "a key of one box";
static const guint8 other_key[PLACEHOLDER_KEY] = "a key of another box";

static char *make(const guint8 *with, const char *name, const char *value)
{
    return placeholder_make(with, name, value, strlen(value));
}

static void placeholder_shape(void)
{
    g_autofree char *token = make(key, "github", VALUE);
    g_assert_cmpuint(strlen(token), ==, strlen(VALUE));
    g_assert_true(g_str_has_prefix(token, "ghp_"));
    g_assert_cmpstr(token, !=, VALUE);
    g_autofree char *again = make(key, "github", VALUE);
    g_assert_cmpstr(again, ==, token);
    g_autofree char *elsewhere = make(other_key, "github", VALUE);
    g_assert_cmpstr(elsewhere, !=, token);
    g_autofree char *named = make(key, "gitlab", VALUE);
    g_assert_cmpstr(named, !=, token);
    g_autofree char *anthropic = make(key, "claude", OTHER);
    g_assert_true(g_str_has_prefix(anthropic, "sk-ant-api03-"));
    g_assert_cmpint(strrchr(anthropic, '_') - anthropic, ==, strrchr(OTHER, '_') - OTHER);
}

/* It depends on the value in its length and punctuation alone. */
static void placeholder_says_nothing(void)
{
    g_autofree char *one = make(key, "x", "AAAAAAAA-AAAAAAAAAAAA");
    g_autofree char *two = make(key, "x", "zzzzzzzz-zzzzzzzzzzzz");
    g_assert_cmpstr(one, ==, two);
    g_autofree char *hex = make(key, "x", "0123456789abcdef0123456789abcdef");
    g_assert_cmpuint(strspn(hex, "0123456789abcdef"), ==, 32);
}

static void placeholder_refusals(void)
{
    static const char *const refused[] = {"short",
                                          "fifteen-letters",
                                          "with a blank in it at all",
                                          "with\ttab0000000000",
                                          "line\nbreak00000000000",
                                          "----------------aaaa",
                                          "\xc3\xa4mlaut0000000000000"};
    for (gsize i = 0; i < G_N_ELEMENTS(refused); i++)
        g_assert_nonnull(secret_value_refusal(refused[i], strlen(refused[i])));
    g_assert_null(secret_value_refusal(VALUE, strlen(VALUE)));
}

/* Requests. */

static enum head_state request(const char *text, struct http_message *out)
{
    const char *why;
    return http_read_request(text, strlen(text), 443, out, &why);
}

static void request_framing(void)
{
    struct http_message read;
    g_assert_cmpint(request("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n", &read), ==, HEAD_COMPLETE);
    g_assert_cmpint(read.body.kind, ==, BODY_NONE);
    g_assert_cmpuint(read.port, ==, 443);
    g_assert_cmpint(
        request("POST / HTTP/1.1\r\nHost: A.test:8443\r\nContent-Length: 7\r\n\r\n", &read), ==,
        HEAD_COMPLETE);
    g_assert_cmpint(read.body.kind, ==, BODY_LENGTH);
    g_assert_cmpuint(read.body.left, ==, 7);
    g_assert_cmpstr(read.host, ==, "a.test");
    g_assert_cmpuint(read.port, ==, 8443);
    g_assert_cmpint(
        request("POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: Chunked\r\n\r\n", &read), ==,
        HEAD_COMPLETE);
    g_assert_cmpint(read.body.kind, ==, BODY_CHUNKED);
    g_assert_cmpint(request("GET / HTTP/1.1\r\nHost: a.te", &read), ==, HEAD_INCOMPLETE);
    g_assert_cmpint(request("GET / HTTP/1.1\r\nHost: a.test\r\nConnection: keep-alive, Upgrade\r\n"
                            "Upgrade: websocket\r\n\r\n",
                            &read),
                    ==, HEAD_COMPLETE);
    g_assert_true(read.asks_upgrade);
    g_assert_false(read.asks_trace);
    g_assert_cmpint(request("trace / HTTP/1.1\r\nHost: a.test\r\n\r\n", &read), ==, HEAD_COMPLETE);
    g_assert_true(read.asks_trace);
    g_assert_cmpint(request("HEAD / HTTP/1.1\r\nHost: a.test\r\n\r\n", &read), ==, HEAD_COMPLETE);
    g_assert_true(read.is_head_request);
    g_assert_cmpint(request("head / HTTP/1.1\r\nHost: a.test\r\n\r\n", &read), ==, HEAD_COMPLETE);
    g_assert_false(read.is_head_request);
}

static void request_refusals(void)
{
    static const char *const refused[] = {
        "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "GET http://b.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.test\r\nHost: b.test\r\n\r\n",
        "GET / HTTP/1.1\r\nAccept: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.test\r\n X-Folded: y\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.test\nX: y\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.test\r\nX : y\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: +1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1, 1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1234567890123456789\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.0\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n",
    };
    for (gsize i = 0; i < G_N_ELEMENTS(refused); i++) {
        struct http_message read;
        g_test_message("%s", refused[i]);
        g_assert_cmpint(request(refused[i], &read), ==, HEAD_WRONG);
    }
}

static void response_framing(void)
{
    static const struct {
        const char *text;
        enum head_state state;
        enum http_body_kind body;
    } cases[] = {
        {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", HEAD_COMPLETE, BODY_LENGTH},
        {"HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n", HEAD_COMPLETE, BODY_CHUNKED},
        {"HTTP/1.0 200 OK\r\n\r\n", HEAD_COMPLETE, BODY_UNTIL_CLOSE},
        {"HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\n", HEAD_COMPLETE, BODY_NONE},
        {"HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n", HEAD_COMPLETE, BODY_NONE},
        {"HTTP/1.1 100 Continue\r\n\r\n", HEAD_COMPLETE, BODY_NONE},
        {"HTTP/1.1 101 Switching\r\n\r\n", HEAD_WRONG, BODY_NONE},
        {"HTTP/1.1 2000 OK\r\n\r\n", HEAD_WRONG, BODY_NONE},
        {"HTTP/2 200 OK\r\n\r\n", HEAD_WRONG, BODY_NONE},
        {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", HEAD_WRONG,
         BODY_NONE},
        {"SSH-2.0-x\r\n", HEAD_WRONG, BODY_NONE},
        {"HTTP/1.1 20", HEAD_INCOMPLETE, BODY_NONE},
    };
    const struct http_message asked = {0}, head = {.is_head_request = true};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct http_message read;
        const char *why;
        const char *text = cases[i].text;
        g_assert_cmpint(http_read_response(text, strlen(text), &asked, &read, &why), ==,
                        cases[i].state);
        if (cases[i].state != HEAD_COMPLETE)
            continue;
        g_assert_cmpint(read.body.kind, ==, cases[i].body);
        g_assert_cmpint(http_read_response(text, strlen(text), &head, &read, &why), ==,
                        HEAD_COMPLETE);
        g_assert_cmpint(read.body.kind, ==, BODY_NONE);
    }
}

/* Passes TEXT in pieces of STEP bytes, and returns its contents; NULL when it is malformed. *REST:
 * the bytes behind the message. */
static char *pass(const struct http_message *message, const char *text, gsize step, gsize *rest)
{
    struct http_body body = message->body;
    g_autoptr(GString) contents = g_string_new(NULL);
    gsize at = 0, length = strlen(text);
    while (at < length && !http_body_has_ended(&body)) {
        bool is_content;
        ssize_t part = http_body_next(&body, text + at, MIN(step, length - at), &is_content);
        if (part < 0)
            return NULL;
        if (is_content)
            g_string_append_len(contents, text + at, part);
        at += (gsize)part;
    }
    *rest = length - at;
    return g_string_free(g_steal_pointer(&contents), FALSE);
}

static void bodies(void)
{
    static const char chunked[] =
        "4\r\nWiki\r\n6;name=value\r\npedia \r\n0\r\nX-Trailer: t\r\n\r\nGET";
    const struct http_message of_chunks = {.body = {.kind = BODY_CHUNKED}};
    const struct http_message of_length = {.body = {.kind = BODY_LENGTH, .left = 5}};
    gsize rest = 0;
    for (gsize step = 1; step <= sizeof chunked; step++) {
        g_autofree char *parts = pass(&of_chunks, chunked, step, &rest);
        g_assert_cmpstr(parts, ==, "Wikipedia X-Trailer: t\r\n\r\n");
        g_assert_cmpuint(rest, ==, 3);
        g_autofree char *five = pass(&of_length, "12345GET", step, &rest);
        g_assert_cmpstr(five, ==, "12345");
        g_assert_cmpuint(rest, ==, 3);
    }
    static const char *const wrong[] = {"\r\n",
                                        " 4\r\nWiki\r\n",
                                        "4 \r\nWiki\r\n",
                                        "0x4\r\nWiki\r\n",
                                        "-1\r\n",
                                        "4\nWiki",
                                        "4\r\nWikix",
                                        "4;\nx\r\n",
                                        "4\rWiki",
                                        "1234567890123456\r\n",
                                        "0\r\nX\n: y\r\n\r\n"};
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_test_message("%s", wrong[i]);
        g_assert_null(pass(&of_chunks, wrong[i], 64, &rest));
    }
}

/* Substitution. */

typedef struct {
    held_secret one, other;
    GPtrArray *all, *here;
} fixture;

static void prepare(held_secret *self, const char *name, unsigned forms, const char *header,
                    const char *value)
{
    secret_definition *definition = g_new0(secret_definition, 1);
    *definition = (secret_definition){.name = g_strdup(name),
                                      .forms = forms,
                                      .header = g_strdup(header),
                                      .hosts = g_array_new(FALSE, FALSE, sizeof(secret_host))};
    self->definition = definition;
    self->value = secret_copy((const guint8 *)value, strlen(value));
    self->placeholder = make(key, name, value);
}

static void set_up(fixture *self, gconstpointer data)
{
    prepare(&self->one, "one", SECRET_BEARER | SECRET_BASIC | SECRET_X_API_KEY | SECRET_HEADER,
            "Private-Token", VALUE);
    prepare(&self->other, "other", SECRET_BEARER, NULL, OTHER);
    self->all = g_ptr_array_new();
    g_ptr_array_add(self->all, &self->one);
    g_ptr_array_add(self->all, &self->other);
    self->here = g_ptr_array_new();
    g_ptr_array_add(self->here, &self->one);
}

static void clear(held_secret *self)
{
    secret_definition_free((secret_definition *)self->definition);
    secret_free(self->value);
    g_free(self->placeholder);
}

static void tear_down(fixture *self, gconstpointer data)
{
    clear(&self->one);
    clear(&self->other);
    g_ptr_array_unref(self->all);
    g_ptr_array_unref(self->here);
}

/* The new head of a request with FIELDS; "refused: NAME" when it must not pass. */
static char *rewrite(const rewrite_rules *rules, const char *fields)
{
    g_autofree char *head =
        g_strconcat("GET /p HTTP/1.1\r\nHost: a.test\r\n", fields, "\r\n", NULL);
    g_auto(rewritten) new = {0};
    request_rewrite(rules, head, strlen(head), &new);
    return new.wrong ? g_strdup_printf("refused: %s", new.wrong->definition->name)
                     : g_strndup((const char *)new.head->data, new.head->len);
}

static void expect(const fixture *self, const char *format, const char *fill, const char *wanted)
{
    const rewrite_rules rules = {.all = self->all, .here = self->here};
    g_autofree char *before = g_strdup(format), *after = g_strdup(format);
    g_auto(GStrv) parts = g_strsplit(format, "@", 2);
    g_free(before);
    before = g_strconcat(parts[0], fill, parts[1], NULL);
    g_free(after);
    after = wanted ? g_strconcat("GET /p HTTP/1.1\r\nHost: a.test\r\n", parts[0], wanted, parts[1],
                                 "Accept-Encoding: identity\r\n\r\n", NULL)
                   : NULL;
    g_autofree char *got = rewrite(&rules, before);
    if (after)
        g_assert_cmpstr(got, ==, after);
    else
        g_assert_true(g_str_has_prefix(got, "refused: "));
}

static void substitutes(fixture *self, gconstpointer data)
{
    const char *placeholder = self->one.placeholder;
    expect(self, "Authorization: Bearer @\r\n", placeholder, VALUE);
    expect(self, "authorization: token @\r\n", placeholder, VALUE);
    expect(self, "x-api-key: @\r\n", placeholder, VALUE);
    expect(self, "PRIVATE-TOKEN: @\r\n", placeholder, VALUE);
    /* Its own credentials are the box's business. */
    expect(self, "Authorization: Bearer @\r\n", "something-else", "something-else");
}

static char *basic(const char *user, const char *password)
{
    g_autofree char *plain = g_strconcat(user, ":", password, NULL);
    return g_base64_encode((const guchar *)plain, strlen(plain));
}

static void substitutes_basic(fixture *self, gconstpointer data)
{
    g_autofree char *before = basic("x-access-token", self->one.placeholder);
    g_autofree char *after = basic("x-access-token", VALUE);
    g_autofree char *user = basic(self->one.placeholder, "");
    g_autofree char *user_after = basic(VALUE, "");
    g_autofree char *other = basic("user", self->other.placeholder);
    g_autofree char *both = basic(self->one.placeholder, self->other.placeholder);
    expect(self, "Authorization: Basic @\r\n", before, after);
    expect(self, "Authorization: Basic @\r\n", user, user_after);
    expect(self, "Authorization: Basic @\r\n", other, NULL);
    expect(self, "Authorization: Basic @\r\n", both, NULL);
    expect(self, "Authorization: Basic @\r\n", "!!!", "!!!");
}

static void refuses_elsewhere(fixture *self, gconstpointer data)
{
    static const char *const places[] = {
        "X-Note: @\r\n",     "Authorization: Digest @\r\n",  "Cookie: a=@; b\r\n",
        "X-Api-Key: x@\r\n", "Authorization: Bearer @x\r\n", "X-Api-Key: @ @\r\n"};
    for (gsize i = 0; i < G_N_ELEMENTS(places); i++)
        expect(self, places[i], self->one.placeholder, NULL);
    /* A secret of another host: nowhere. */
    expect(self, "Authorization: Bearer @\r\n", self->other.placeholder, NULL);
    const rewrite_rules rules = {.all = self->all, .here = self->here};
    g_autofree char *head =
        g_strdup_printf("GET /?key=%s HTTP/1.1\r\nHost: a.test\r\n\r\n", self->one.placeholder);
    g_auto(rewritten) new = {0};
    request_rewrite(&rules, head, strlen(head), &new);
    g_assert_true(new.wrong == &self->one);
}

#define CODED_VALUE "key/with+marks=0123456789~x"

/* The first line of the new head for one with QUERY, in which "@" is the placeholder of a secret
 * for the parameter "key"; "refused: NAME". */
static char *rewrite_query(const char *query, gboolean always, gboolean *is_coded)
{
    fixture self = {0};
    prepare(&self.one, "one", SECRET_QUERY, NULL, CODED_VALUE);
    ((secret_definition *)self.one.definition)->query = g_strdup("key");
    self.all = g_ptr_array_new();
    self.here = self.all;
    g_ptr_array_add(self.all, &self.one);
    const rewrite_rules rules = {
        .all = self.all, .here = self.all, .host = always ? "b.test" : NULL, .always = always};
    g_auto(GStrv) parts = g_strsplit(query, "@", -1);
    g_autofree char *filled = g_strjoinv(self.one.placeholder, parts);
    g_autofree char *escaped = g_uri_escape_string(self.one.placeholder, NULL, FALSE);
    g_auto(GStrv) coded = g_strsplit(filled, "CODED", -1);
    g_autofree char *target = g_strjoinv(escaped, coded);
    g_autofree char *head = g_strdup_printf("GET %s HTTP/1.1\r\nHost: a.test\r\n\r\n", target);
    g_auto(rewritten) new = {0};
    request_rewrite(&rules, head, strlen(head), &new);
    *is_coded = new.coded &&new.coded->length == strlen("key%2Fwith%2Bmarks%3D0123456789~x");
    char *line = new.wrong ? g_strdup("refused: one")
                           : g_strndup((const char *)new.head->data,
                                       strcspn((const char *)new.head->data, "\r"));
    clear(&self.one);
    g_ptr_array_unref(self.all);
    return line;
}

static void substitutes_query(void)
{
    static const char real[] = "key=key%2Fwith%2Bmarks%3D0123456789~x";
    static const struct {
        const char *target, *wanted; /* "$" is the parameter with its value */
        gboolean always;
    } table[] = {
        {"/p?key=@", "GET /p?$ HTTP/1.1", FALSE},
        {"/p?a=b&key=CODED&c", "GET /p?a=b&$&c HTTP/1.1", FALSE},
        {"/p?key=x", "GET /p?key=x HTTP/1.1", FALSE},
        {"/p?&&", "GET /p?&& HTTP/1.1", FALSE},
        {"/p?", "GET /p? HTTP/1.1", FALSE},
        {"/p?key=@x", "refused: one", FALSE},
        {"/p?akey=@", "refused: one", FALSE},
        {"/p?KEY=@", "refused: one", FALSE},
        {"/key=@", "refused: one", FALSE},
        {"/p?a#key=@", "refused: one", FALSE},
        {"/p", "GET /p?$ HTTP/1.1", TRUE},
        {"/p?a=b", "GET /p?a=b&$ HTTP/1.1", TRUE},
        {"/p?key=whatever&a&key=", "GET /p?a&$ HTTP/1.1", TRUE},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(table); i++) {
        gboolean is_coded;
        g_auto(GStrv) parts = g_strsplit(table[i].wanted, "$", -1);
        g_autofree char *wanted = g_strjoinv(real, parts);
        g_autofree char *got = rewrite_query(table[i].target, table[i].always, &is_coded);
        g_assert_cmpstr(got, ==, wanted);
        g_assert_cmpint(is_coded, ==, parts[1] != NULL);
    }
}

static void base_url(fixture *self, gconstpointer data)
{
    const rewrite_rules rules = {
        .all = self->all, .here = self->here, .host = "b.test", .always = TRUE};
    g_autofree char *got =
        rewrite(&rules, "X-API-Key: whatever\r\nAccept-Encoding: gzip\r\nA-IM: gzip\r\n"
                        "accept_Encoding: gzip\r\nTE: gzip\r\n"
                        "Accept-Charset: ibm037\r\n"
                        "accept: text/plain;charset=utf-8, text/*; Charset=\"ibm037\"\r\n"
                        "Accept: text/plain;charset=utf-80\r\n"
                        "Accept: text/plain;charset\r\n"
                        "Accept: text/html;charset=UTF-8;q=0.9, */*;charset=\"utf-8\"\r\n"
                        "Sec-WebSocket-Extensions: permessage-deflate\r\n");
    g_assert_cmpstr(got, ==,
                    "GET /p HTTP/1.1\r\nHost: b.test\r\n"
                    "Accept: text/html;charset=UTF-8;q=0.9, */*;charset=\"utf-8\"\r\n"
                    "X-Api-Key: " VALUE "\r\nAccept-Encoding: identity\r\n\r\n");
}

/* Answers. */

static void guard_finds(fixture *self, gconstpointer data)
{
    static const char text[] = "{\"echo\": \"ghp_realghp_realRealreal" VALUE "\"}";
    for (gsize at = 0; at <= strlen(text); at++) {
        response_guard guard = {0};
        g_assert_true(response_guard_init(&guard, self->all, NULL));
        gboolean first = response_guard_finds(&guard, text, at);
        g_assert_true(first || response_guard_finds(&guard, text + at, strlen(text) - at));
        response_guard_clear(&guard);
    }
}

/* UTF-16 and UTF-32, in either order. */
static void guard_finds_wide(fixture *self, gconstpointer data)
{
    for (gsize width = 2; width <= 4; width += 2)
        for (gsize place = 0; place < width; place += width - 1) {
            gsize size = width * strlen(VALUE);
            g_autofree char *wide = g_malloc0(size);
            for (gsize i = 0; i < strlen(VALUE); i++)
                wide[width * i + place] = VALUE[i];
            response_guard guard = {0};
            g_assert_true(response_guard_init(&guard, self->all, NULL));
            g_assert_false(response_guard_finds(&guard, wide, size - width));
            g_assert_true(response_guard_holds(&guard));
            g_assert_true(response_guard_finds(&guard, wide + size - width, width));
            /* What is no text does not make it wait for ever. */
            response_guard_restart(&guard);
            g_assert_false(response_guard_finds(&guard, VALUE, strlen(VALUE) - 1));
            g_assert_false(response_guard_finds(&guard, "\0\0\0\0", 4));
            g_assert_false(response_guard_holds(&guard));
            response_guard_clear(&guard);
        }
}

/* What was passed on before the end was seen is at most a half. */
static void guard_holds(fixture *self, gconstpointer data)
{
    response_guard guard = {0};
    g_assert_true(response_guard_init(&guard, self->all, NULL));
    gsize passed = 0;
    for (gsize i = 0; i < strlen(VALUE) - 1; i++) {
        g_assert_false(response_guard_finds(&guard, &VALUE[i], 1));
        passed = response_guard_holds(&guard) ? passed : i + 1;
    }
    g_assert_cmpuint(passed, ==, strlen(VALUE) / 2);
    g_assert_true(response_guard_finds(&guard, &VALUE[strlen(VALUE) - 1], 1));
    response_guard_restart(&guard);
    g_assert_false(response_guard_holds(&guard));
    g_autofree char *coded = basic("user", VALUE);
    g_autoptr(secret) as_secret = secret_copy((const guint8 *)coded, strlen(coded));
    g_assert_true(response_guard_expect(&guard, as_secret));
    g_assert_true(response_guard_expect(&guard, NULL));
    g_assert_true(response_guard_finds(&guard, coded, strlen(coded)));
    response_guard_clear(&guard);
}

/* As a query has it; a server may code it with letters of the other case, or of both. */
static void guard_finds_coded(fixture *self, gconstpointer data)
{
    static const char coded[] = "ab%2Fcd%2B%3Dabab%2Fcd%2B%3Dxyz";
    static const char *const answers[] = {"q=ab%2Fcd%2B%3Dabab%2Fcd%2B%3Dxyz",
                                          "q=ab%2fcd%2b%3dabab%2fcd%2b%3dxyz",
                                          "ab%2fcab%2fcd%2b%3Dabab%2Fcd%2b%3dxyz"};
    static const char *const others[] = {"ab%2Fcd%2B%3Dabab%2Fcd%2B%3Dxy",
                                         "ab%2Fcd%2B%3Dabab\0052Fcd%2B%3Dxyz",
                                         "ab%2Fcd%2B%3Dabab%2Fcd%2B%\023Dxyz"};
    g_autoptr(secret) as_secret = secret_copy((const guint8 *)coded, strlen(coded));
    for (gsize i = 0; i < G_N_ELEMENTS(answers); i++) {
        for (gsize at = 0; at <= strlen(answers[i]); at++) {
            response_guard guard = {0};
            g_assert_true(response_guard_init(&guard, self->all, NULL));
            g_assert_true(response_guard_expect(&guard, as_secret));
            gboolean first = response_guard_finds(&guard, answers[i], at);
            g_assert_true(first ||
                          response_guard_finds(&guard, answers[i] + at, strlen(answers[i]) - at));
            response_guard_clear(&guard);
        }
    }
    for (gsize i = 0; i < G_N_ELEMENTS(others); i++) {
        response_guard guard = {0};
        g_assert_true(response_guard_init(&guard, self->all, NULL));
        g_assert_true(response_guard_expect(&guard, as_secret));
        g_assert_false(response_guard_finds(&guard, others[i], strlen(others[i])));
        response_guard_clear(&guard);
    }
}

#define WITH_SECRETS(name, test) g_test_add(name, fixture, NULL, set_up, test, tear_down)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/secrets/placeholder/shape", placeholder_shape);
    g_test_add_func("/secrets/placeholder/says-nothing", placeholder_says_nothing);
    g_test_add_func("/secrets/placeholder/refusals", placeholder_refusals);
    g_test_add_func("/secrets/request/framing", request_framing);
    g_test_add_func("/secrets/request/refusals", request_refusals);
    g_test_add_func("/secrets/response/framing", response_framing);
    g_test_add_func("/secrets/bodies", bodies);
    WITH_SECRETS("/secrets/substitutes", substitutes);
    WITH_SECRETS("/secrets/substitutes-basic", substitutes_basic);
    g_test_add_func("/secrets/substitutes-query", substitutes_query);
    WITH_SECRETS("/secrets/refuses-elsewhere", refuses_elsewhere);
    WITH_SECRETS("/secrets/base-url", base_url);
    WITH_SECRETS("/secrets/guard-finds", guard_finds);
    WITH_SECRETS("/secrets/guard-finds-wide", guard_finds_wide);
    WITH_SECRETS("/secrets/guard-holds", guard_holds);
    WITH_SECRETS("/secrets/guard-finds-coded", guard_finds_coded);
    return g_test_run();
}
