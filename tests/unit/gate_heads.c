/* The first bytes of connections: ClientHello, and an HTTP/1 request; and what is refused. */
#include <glib.h>
#include <string.h>

#include "host/gate/client_hello.h"
#include "host/gate/refusal_text.h"
#include "host/gate/target.h"
#include "proto/http_message.h"

/* ClientHello. */

static void put16(GByteArray *out, gsize value)
{
    const guint8 bytes[] = {(guint8)(value >> 8), (guint8)value};
    g_byte_array_append(out, bytes, 2);
}

static void put(GByteArray *out, const void *data, gsize size)
{
    g_byte_array_append(out, data, (guint)size);
}

/* Extension 0 with one name. */
static void put_name(GByteArray *out, const char *name, gsize length)
{
    put16(out, 0);
    put16(out, length + 5);
    put16(out, length + 3);
    put(out, "\0", 1);
    put16(out, length);
    put(out, name, length);
}

/* In records of at most RECORD bytes. */
static GByteArray *hello(const GByteArray *extensions, gsize record)
{
    g_autoptr(GByteArray) body = g_byte_array_new();
    GByteArray *out = g_byte_array_new();
    static const guint8 random[32];
    put(body, "\3\3", 2);
    put(body, random, 32);
    put(body, "\0\0\2\x13\1\1\0", 7);
    put16(body, extensions->len);
    put(body, extensions->data, extensions->len);
    const guint8 header[] = {1, 0, (guint8)(body->len >> 8), (guint8)body->len};
    g_byte_array_prepend(body, header, 4);
    for (gsize at = 0; at < body->len; at += record) {
        gsize here = MIN(record, body->len - at);
        put(out, "\x16\3\1", 3);
        put16(out, here);
        put(out, body->data + at, here);
    }
    return out;
}

static bool is_encrypted;

static enum head_state read_hello(const GByteArray *bytes, gsize size, char *name)
{
    const char *why = NULL;
    struct client_hello hello_read;
    g_autofree guint8 *copy = g_memdup2(bytes->data, size);
    enum head_state state = client_hello_parse(copy, size, &hello_read, &why);
    g_assert_true((state == HEAD_WRONG) == (why != NULL));
    g_strlcpy(name, hello_read.name, HOST_NAME_SIZE);
    is_encrypted = hello_read.is_encrypted;
    return state;
}

static void hellos_are_read(void)
{
    char name[HOST_NAME_SIZE];
    for (gsize record = 1; record < 200; record += 30) {
        g_autoptr(GByteArray) extensions = g_byte_array_new();
        put(extensions, "\0\x0a\0\4\0\2\0\x1d", 8);
        put_name(extensions, "API.example.com", 15);
        g_autoptr(GByteArray) bytes = hello(extensions, record);
        for (gsize size = 0; size < bytes->len; size++)
            g_assert_cmpint(read_hello(bytes, size, name), ==, HEAD_INCOMPLETE);
        put(bytes, "\x14\3\3\0\1\1", 6); /* what follows is not looked at */
        g_assert_cmpint(read_hello(bytes, bytes->len, name), ==, HEAD_COMPLETE);
        g_assert_cmpstr(name, ==, "api.example.com");
        g_assert_false(is_encrypted);
    }
}

/* With or without a name behind it, and as a target sees it. */
static void encrypted_hellos_are_told(void)
{
    static const struct network_rule rule = {.kind = RULE_NAME, .port = 443};
    char name[HOST_NAME_SIZE];
    g_autoptr(GByteArray) ech = g_byte_array_new();
    put(ech, "\xfe\x0d\0\1\0", 5);
    put_name(ech, "api.example.com", 15);
    g_autoptr(GByteArray) bytes = hello(ech, 16384);
    g_assert_cmpint(read_hello(bytes, bytes->len, name), ==, HEAD_COMPLETE);
    g_assert_true(is_encrypted);
    struct target target = {.rule = &rule, .name = "api.example.com", .first = FIRST_TLS};
    size_t length = bytes->len;
    const char *why;
    g_assert_cmpint(target_check(&target, bytes->data, &length, &why), ==, HEAD_WRONG);
    target.allows_ech = true;
    g_assert_cmpint(target_check(&target, bytes->data, &length, &why), ==, HEAD_COMPLETE);
    g_strlcpy(target.name, "evil.com", sizeof target.name);
    g_assert_cmpint(target_check(&target, bytes->data, &length, &why), ==, HEAD_WRONG);
}

/* Two in one record, and one behind the other before the server has said anything. */
static void hellos_come_one_at_a_time(void)
{
    struct target target = {.name = "api.example.com", .first = FIRST_TLS};
    char name[HOST_NAME_SIZE];
    const char *why;
    g_autoptr(GByteArray) extensions = g_byte_array_new();
    put_name(extensions, "api.example.com", 15);
    g_autoptr(GByteArray) one = hello(extensions, 16384), joined = hello(extensions, 16384);
    put(joined, one->data + 5, one->len - 5);
    joined->data[3] = (guint8)((joined->len - 5) >> 8);
    joined->data[4] = (guint8)(joined->len - 5);
    g_assert_cmpint(read_hello(joined, joined->len, name), ==, HEAD_WRONG);
    g_autoptr(GByteArray) two = hello(extensions, 16384);
    put(two, "\x14\3\3\0\1\1\x17\3\3\0\3\x16\3\3", 14); /* early data */
    size_t length = two->len;
    g_assert_cmpint(target_check(&target, two->data, &length, &why), ==, HEAD_COMPLETE);
    put(two, one->data, 1);
    length = two->len;
    g_assert_cmpint(target_check(&target, two->data, &length, &why), ==, HEAD_WRONG);
    g_assert_cmpstr(why, ==, TARGET_HELLO_UNASKED);
}

static void assert_answer(const GByteArray *answer, int state)
{
    for (gsize piece = 1; piece <= answer->len; piece++) {
        struct second_hello heard = {0};
        for (gsize at = 0; at < answer->len; at += piece)
            second_hello_hear(&heard, answer->data + at, MIN(piece, answer->len - at));
        g_assert_cmpint(heard.state, ==, state);
    }
}

static void second_hellos_are_asked_for(void)
{
    static const guint8 asks[] = {0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c,
                                  0x02, 0x1e, 0x65, 0xb8, 0x91, 0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb,
                                  0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c};
    g_autoptr(GByteArray) answer = g_byte_array_new();
    put(answer, "\x15\3\3\0\2\1\x70", 7); /* a warning */
    put(answer, "\x16\3\3\0\x2a\2\0\0\x26\3\3", 11);
    assert_answer(answer, HELLO_UNANSWERED);
    put(answer, asks, sizeof asks);
    put(answer, "rest", 4);
    assert_answer(answer, HELLO_ASKED);
    answer->data[answer->len - 5] ^= 1;
    assert_answer(answer, HELLO_TAKEN);
    g_byte_array_set_size(answer, 0);
    put(answer, "\x16\3\3\0\0\x16\3\3\0\x14\2\0\0\x26\3\3", 16); /* in two records */
    put(answer, asks, 14);
    put(answer, "\x16\3\3\0\x12", 5);
    put(answer, asks + 14, 18);
    assert_answer(answer, HELLO_ASKED);
    g_byte_array_set_size(answer, 0);
    put(answer, "HTTP/1.1 400 Bad Request", 24);
    assert_answer(answer, HELLO_TAKEN);
}

static void assert_hello_wrong(const GByteArray *extensions)
{
    char name[HOST_NAME_SIZE];
    g_autoptr(GByteArray) bytes = hello(extensions, 16384);
    g_assert_cmpint(read_hello(bytes, bytes->len, name), ==, HEAD_WRONG);
}

static void hellos_that_hide_their_name_are_refused(void)
{
    g_autoptr(GByteArray) none = g_byte_array_new(), twice = g_byte_array_new(),
                          cut = g_byte_array_new();
    assert_hello_wrong(none);
    put_name(twice, "api.example.com", 15);
    put_name(twice, "evil.com", 8);
    assert_hello_wrong(twice);
    put_name(cut, "api.example.com", 15);
    g_byte_array_set_size(cut, cut->len - 1);
    assert_hello_wrong(cut);
    static const struct {
        const char *name;
        gsize length;
    } names[] = {{"api.example.com\0.evil.com", 25},
                 {"127.0.0.1", 9},
                 {"", 0},
                 {"localhost", 9},
                 {"[api.example.com]", 17},
                 {"api.example.com/", 16},
                 {"api.example.com:443", 19}};
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autoptr(GByteArray) odd = g_byte_array_new();
        put_name(odd, names[i].name, names[i].length);
        assert_hello_wrong(odd);
    }
}

static void other_protocols_are_not_tls(void)
{
    static const char *const first[] = {"SSH-2.0-x\r\n",  "GET / HTTP/1.1\r\n", "\x17\3\3\1",
                                        "\x80\x2e\1\0\2", "PRI * HTTP/2.0\r\n", "\x16\2"};
    char name[HOST_NAME_SIZE];
    for (gsize i = 0; i < G_N_ELEMENTS(first); i++) {
        g_autoptr(GByteArray) bytes = g_byte_array_new();
        put(bytes, first[i], strlen(first[i]));
        g_assert_cmpint(read_hello(bytes, bytes->len, name), ==, HEAD_WRONG);
    }
    /* Another message, an empty record, and a message that never ends. */
    g_autoptr(GByteArray) other = g_byte_array_new(), empty = g_byte_array_new(),
                          endless = g_byte_array_new();
    put(other, "\x16\3\1\0\1\2", 6);
    g_assert_cmpint(read_hello(other, other->len, name), ==, HEAD_WRONG);
    put(empty, "\x16\3\1\0\0", 5);
    g_assert_cmpint(read_hello(empty, empty->len, name), ==, HEAD_WRONG);
    put(endless, "\x16\3\1\x40\0\1\xff\xff\xff", 9);
    g_assert_cmpint(read_hello(endless, endless->len, name), ==, HEAD_WRONG);
    g_autoptr(GByteArray) slow = g_byte_array_new();
    put(slow, "\x16\3\1\0\4\1\0\xff\xf0", 9);
    while (slow->len < CLIENT_HELLO_MAX)
        put(slow, "\x16\3\1\0\1a", 6);
    g_assert_cmpint(read_hello(slow, slow->len, name), ==, HEAD_WRONG);
}

/* HTTP. */

static enum head_state read_head(const char *text, gsize size, struct http_message *head)
{
    const char *why = NULL;
    g_autofree char *copy = g_memdup2(text, size);
    enum head_state state = http_read_request(copy, size, 80, head, &why);
    g_assert_true((state == HEAD_WRONG) == (why != NULL));
    return state;
}

static void heads_are_read(void)
{
    static const char text[] =
        "GET /x?y HTTP/1.1\r\nUser-Agent: a\r\nhOsT:\tAPI.example.com. \r\n\r\n"
        "GET / HTTP/1.1\r\nHost: evil.com\r\n\r\n";
    struct http_message head;
    gsize length = (gsize)(strstr(text, "\r\n\r\n") + 4 - text);
    for (gsize size = 0; size < length; size++)
        g_assert_cmpint(read_head(text, size, &head), ==, HEAD_INCOMPLETE);
    g_assert_cmpint(read_head(text, sizeof text - 1, &head), ==, HEAD_COMPLETE);
    g_assert_cmpuint(head.length, ==, length);
    g_assert_cmpstr(head.host, ==, "api.example.com");
    g_assert_cmpint(head.port, ==, 80);
    g_assert_cmpint(read_head("OPTIONS * HTTP/1.0\r\nHost: a.com:8080\r\n\r\n", 40, &head), ==,
                    HEAD_COMPLETE);
    g_assert_cmpint(head.port, ==, 8080);
}

#define HOST "Host: a.com\r\n"

static void odd_heads_are_refused(void)
{
    static const char *const heads[] = {
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\n" HOST HOST "\r\n",
        "GET / HTTP/1.1\r\n" HOST "Host: b.com\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.com, b.com\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.com b.com\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: u@a.com\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: [a.com]\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.com:\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.com:65536\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.com:80:80\r\n\r\n",
        "GET / HTTP/1.1\r\nHost:\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : a.com\r\n\r\n",
        "GET / HTTP/1.1\r\n" HOST "X: a\r\n folded\r\n\r\n",
        "GET / HTTP/1.1\r\n Host: b.com\r\n" HOST "\r\n",
        "GET / HTTP/1.1\n" HOST "\r\n",
        "GET / HTTP/1.1\r\nHost: a.com\n\r\n",
        "GET / HTTP/1.1\r\n" HOST "X: \rHost: b.com\r\n\r\n",
        "GET / HTTP/1.1\r\n" HOST "X: a\nHost: b.com\r\n\r\n",
        "GET / HTTP/1.1\r\n" HOST ": b\r\n\r\n",
        "GET / HTTP/1.1\r\n" HOST "nonsense\r\n\r\n",
        "GET http://b.com/ HTTP/1.1\r\n" HOST "\r\n",
        "CONNECT b.com:443 HTTP/1.1\r\n" HOST "\r\n",
        "GET /  HTTP/1.1\r\n" HOST "\r\n",
        "GET  / HTTP/1.1\r\n" HOST "\r\n",
        "GET / HTTP/1.2\r\n" HOST "\r\n",
        "GET / HTTP/2.0\r\n" HOST "\r\n",
        "GET /\r\n" HOST "\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "\r\nGET / HTTP/1.1\r\n" HOST "\r\n",
        "SSH-2.0-OpenSSH\r\n",
        "\x16\3\1\2",
        "G\1ET",
    };
    struct http_message head;
    for (gsize i = 0; i < G_N_ELEMENTS(heads); i++)
        if (read_head(heads[i], strlen(heads[i]), &head) != HEAD_WRONG)
            g_error("%s", heads[i]);
    static const char with_nul[] = "GET / HTTP/1.1\r\n" HOST "X: \0\r\n\r\n";
    g_assert_cmpint(read_head(with_nul, sizeof with_nul - 1, &head), ==, HEAD_WRONG);
    g_autofree char *endless = g_strnfill(HTTP_HEAD_MAX, 'G');
    g_assert_cmpint(read_head(endless, HTTP_HEAD_MAX, &head), ==, HEAD_WRONG);
}

/* How many bytes belong to the body; -1. All at once, and each byte alone. */
static gssize take_body(struct http_body body, const char *text)
{
    struct http_body by_bytes = body;
    gsize size = strlen(text);
    g_autofree char *copy = g_memdup2(text, size);
    gssize taken = http_body_take(&body, copy, size), sum = 0;
    for (gsize i = 0; i < size && sum >= 0; i++) {
        gssize one = http_body_take(&by_bytes, copy + i, 1);
        sum = one < 0 ? -1 : sum + one;
    }
    g_assert_cmpint(taken, ==, sum);
    g_assert_true(taken < 0 || body.part == by_bytes.part);
    return taken;
}

static struct http_body body_of(const char *fields)
{
    struct http_message head;
    g_autofree char *text = g_strdup_printf("PUT / HTTP/1.1\r\n" HOST "%s\r\n", fields);
    if (read_head(text, strlen(text), &head) != HEAD_COMPLETE)
        g_error("%s", text);
    head.body.is_plain = true;
    return head.body;
}

static void bodies_end(void)
{
    static const char next[] = "GET / HTTP/1.1\r\nHost: evil.com\r\n\r\n";
    static const struct {
        const char *fields, *body;
    } bodies[] = {
        {"", ""},
        {"Content-Length: 0\r\n", ""},
        {"Content-Length:5\r\n", "12345"},
        {"content-length: 007\r\n", "1234567"},
        {"Transfer-Encoding: chunked\r\n", "0\r\n\r\n"},
        {"transfer-encoding: Chunked\r\n", "5\r\n12345\r\n00A\r\n0\r\n\r\n67890\r\n0\r\n\r\n"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(bodies); i++) {
        g_autofree char *text = g_strconcat(bodies[i].body, next, NULL);
        g_assert_cmpint(take_body(body_of(bodies[i].fields), text), ==,
                        (gssize)strlen(bodies[i].body));
    }
    g_assert_cmpint(take_body(body_of("Content-Length: 900000000000000000\r\n"), next), ==,
                    (gssize)strlen(next));
    static const char *const chunks[] = {"5;a=b\r\n",
                                         "5 \r\n",
                                         " 5\r\n",
                                         "\r\n",
                                         "-1\r\n",
                                         "0x5\r\n",
                                         "5\n",
                                         "5\r5",
                                         "g\r\n",
                                         "1\r\nab",
                                         "1\r\na\n",
                                         "1\r\na\rb",
                                         "0\r\nTrailer: x",
                                         "0\r\n\n",
                                         "11111111111111111\r\n"};
    for (gsize i = 0; i < G_N_ELEMENTS(chunks); i++)
        if (take_body((struct http_body){.kind = BODY_CHUNKED, .is_plain = true}, chunks[i]) >= 0)
            g_error("%s", chunks[i]);
}

static void requests_with_two_ends_are_refused(void)
{
    static const char *const fields[] = {
        "Content-Length: 5\r\nContent-Length: 5\r\n",
        "Content-Length: 5, 5\r\n",
        "Content-Length: +5\r\n",
        "Content-Length: 0x5\r\n",
        "Content-Length:\r\n",
        "Content-Length: 18446744073709551616\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: identity\r\n",
        "Transfer-Encoding: \013chunked\r\n",
        "Transfer-Encoding:\r\n",
    };
    struct http_message head;
    for (gsize i = 0; i < G_N_ELEMENTS(fields); i++) {
        g_autofree char *text = g_strdup_printf("PUT / HTTP/1.1\r\n" HOST "%s\r\n", fields[i]);
        if (read_head(text, strlen(text), &head) != HEAD_WRONG)
            g_error("%s", text);
    }
    static const char old[] = "PUT / HTTP/1.0\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n";
    g_assert_cmpint(read_head(old, sizeof old - 1, &head), ==, HEAD_WRONG);
}

/* Of what came behind the head just the body is passed on, now and later. */
static void a_second_request_is_left_out(void)
{
    static const struct network_rule rule = {.kind = RULE_NAME, .port = 80};
    static const char text[] = "PUT / HTTP/1.1\r\nHost: a.com\r\nContent-Length: 3\r\n\r\n"
                               "123GET / HTTP/1.1\r\nHost: evil.com\r\n\r\n";
    struct target target = {.rule = &rule, .name = "a.com", .port = 80, .first = FIRST_HTTP};
    guint8 data[sizeof text + TARGET_HEAD_ADDED];
    size_t length = sizeof text - 1;
    const char *why;
    memcpy(data, text, sizeof text);
    g_assert_cmpint(target_check(&target, data, &length, &why), ==, HEAD_COMPLETE);
    g_autofree char *passed = g_strndup((char *)data, length);
    g_assert_cmpstr(passed, ==,
                    "PUT / HTTP/1.1\r\nHost: a.com\r\nContent-Length: 3\r\n"
                    "Connection: close\r\n\r\n123");
    g_assert_cmpint(http_body_take(&target.body, "GET", 3), ==, 0);
}

/* What a client is told. */

static void http_clients_are_told(void)
{
    struct target target = {.name = "a.com", .port = 80, .is_unknown = true};
    guint8 out[REFUSAL_MAX];
    gsize length = refusal_text_http(&target, "no rule allows it", out);
    g_autofree char *text = g_strndup((char *)out, length);
    g_assert_cmpstr(text, ==,
                    "HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Type: text/plain\r\n"
                    "Content-Length: 91\r\n\r\nLitterbox refused a.com:80: no rule allows it; on "
                    "the host, 'box net allow a.com:80' would\n");
    target.is_unknown = false;
    length = refusal_text_http(&target, "a rule denies it", out);
    g_assert_null(memmem(out, length, "box net", 7));
}

/* As RFC 4253 says: a version, and a packet of a multiple of 8 bytes. */
static void ssh_clients_are_told(void)
{
    struct target target = {.port = 22, .is_unknown = true};
    for (gsize size = 1; size < HOST_NAME_SIZE; size++) {
        guint8 out[REFUSAL_MAX];
        memset(target.name, 'a', size);
        gsize length = refusal_text_ssh(&target, "no rule allows it", out);
        g_assert_cmpuint(length, <=, sizeof out);
        const guint8 *packet = memmem(out, length, "\r\n", 2);
        g_assert_nonnull(packet);
        packet += 2;
        gsize left = length - (gsize)(packet - out);
        g_assert_cmpuint(left % 8, ==, 0);
        g_assert_cmpuint((gsize)packet[2] << 8 | packet[3], ==, left - 4);
        g_assert_cmpuint(packet[4], >=, 4);
        gsize text = (gsize)packet[12] << 8 | packet[13];
        g_assert_cmpuint(5 + 1 + 4 + 4 + text + 4 + packet[4], ==, left);
        g_assert_cmpmem(packet + 14, 17, "Litterbox refused", 17);
    }
}

static void heads_are_passed_on_for_one_request(void)
{
    static const char text[] =
        "GET / HTTP/1.1\r\nconnection: Upgrade, keep-alive\r\nHost: a.com\r\n"
        "Keep-Alive: 5\r\nupgrade: h2c\r\nHTTP2-Settings: AA\r\nX: y\r\nProxy-Connection: x\r\n\r\n";
    char out[sizeof text + HTTP_HEAD_ADDED];
    gsize length = http_head_write((const uint8_t *)text, sizeof text - 1, out);
    g_autofree char *written = g_strndup(out, length);
    g_assert_cmpstr(written, ==,
                    "GET / HTTP/1.1\r\nHost: a.com\r\nX: y\r\nConnection: close\r\n\r\n");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gate_heads/hellos", hellos_are_read);
    g_test_add_func("/gate_heads/encrypted", encrypted_hellos_are_told);
    g_test_add_func("/gate_heads/one_at_a_time", hellos_come_one_at_a_time);
    g_test_add_func("/gate_heads/asked_for", second_hellos_are_asked_for);
    g_test_add_func("/gate_heads/hidden_names", hellos_that_hide_their_name_are_refused);
    g_test_add_func("/gate_heads/not_tls", other_protocols_are_not_tls);
    g_test_add_func("/gate_heads/http", heads_are_read);
    g_test_add_func("/gate_heads/odd_http", odd_heads_are_refused);
    g_test_add_func("/gate_heads/bodies", bodies_end);
    g_test_add_func("/gate_heads/two_ends", requests_with_two_ends_are_refused);
    g_test_add_func("/gate_heads/second_request", a_second_request_is_left_out);
    g_test_add_func("/gate_heads/http_refusal", http_clients_are_told);
    g_test_add_func("/gate_heads/ssh_refusal", ssh_clients_are_told);
    g_test_add_func("/gate_heads/one_request", heads_are_passed_on_for_one_request);
    return g_test_run();
}
