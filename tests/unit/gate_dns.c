/* DNS messages of a box, and the names that it has asked for. */
#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "host/gate/dns_message.h"
#include "host/gate/fake_names.h"

#define QUERY(wire) "\x12\x34\x01\x00\0\1\0\0\0\0\0\0" wire
#define EXAMPLE "\3API\7example\3com\0"

static int parse(const char *wire, gsize size, struct dns_question *question)
{
    /* A copy of just this size, so that the sanitizer sees each byte too many. */
    static uint8_t *copy;
    g_free(copy);
    copy = g_memdup2(wire, size);
    return dns_question_parse(copy, size, question);
}

static void questions_are_read(void)
{
    static const char query[] = QUERY(EXAMPLE "\0\1\0\1");
    struct dns_question question;
    g_assert_cmpint(parse(query, sizeof query - 1, &question), ==, 0);
    g_assert_cmpint(question.code, ==, DNS_NO_ERROR);
    g_assert_cmpstr(question.name, ==, "api.example.com");
    g_assert_cmpint(question.type, ==, DNS_A);
    g_assert_cmpuint(question.end, ==, sizeof query - 1);
    for (gsize size = 0; size < sizeof query - 1; size++)
        if (parse(query, size, &question) == 0)
            g_assert_cmpint(question.code, ==, DNS_FORMAT_ERROR);
}

static void check(const char *wire, gsize size, enum dns_code code, const char *name)
{
    struct dns_question question;
    g_assert_cmpint(parse(wire, size, &question), ==, 0);
    g_assert_cmpint(question.code, ==, code);
    if (name)
        g_assert_cmpstr(question.name, ==, name);
}
#define ASSERT_CODE(wire, code) check(wire, sizeof(wire) - 1, code, NULL)
/* A name that is no host's is "", which no rule allows. */
#define ASSERT_NO_HOST(labels) \
    check(QUERY(labels "\0\1\0\1"), sizeof(QUERY(labels "\0\1\0\1")) - 1, DNS_NO_ERROR, "")

static void odd_questions_are_refused(void)
{
    struct dns_question question;
    static const char response[] = "\x12\x34\x81\x00\0\1\0\0\0\0\0\0" EXAMPLE "\0\1\0\1";
    g_assert_cmpint(parse(response, sizeof response - 1, &question), ==, -1);
    ASSERT_CODE("\x12\x34\x29\x00\0\1\0\0\0\0\0\0" EXAMPLE "\0\1\0\1", DNS_NOT_IMPLEMENTED);
    ASSERT_CODE("\x12\x34\x01\x00\0\2\0\0\0\0\0\0" EXAMPLE "\0\1\0\1" EXAMPLE "\0\1\0\1",
                DNS_FORMAT_ERROR);
    ASSERT_CODE(QUERY("\xc0\x0c\0\1\0\1"), DNS_FORMAT_ERROR);
    ASSERT_CODE(QUERY("\3abc\xc0\x0c\0\1\0\1"), DNS_FORMAT_ERROR);
    ASSERT_CODE(QUERY("\x40" EXAMPLE "\0\1\0\1"), DNS_FORMAT_ERROR);
    ASSERT_CODE(QUERY(EXAMPLE "\0\1\0\3"), DNS_REFUSED);
    ASSERT_NO_HOST("\0");
    ASSERT_NO_HOST("\3com\0");
    ASSERT_NO_HOST("\7api.exa\4mple\3com\0");
    ASSERT_NO_HOST("\4ap\0i\7example\3com\0");
    ASSERT_NO_HOST("\4ap i\7example\3com\0");
    ASSERT_NO_HOST("\4_api\7example\3com\0");
    ASSERT_NO_HOST("\3"
                   "127\1"
                   "0\1"
                   "0\1"
                   "1\0");
}

static void answers_are_written(void)
{
    static const char query[] = QUERY(EXAMPLE "\0\1\0\1");
    static const char expected[] = "\x12\x34\x81\x80\0\1\0\1\0\0\0\0" EXAMPLE "\0\1\0\1"
                                   "\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\xc6\x12\1\0";
    struct dns_question question;
    struct dns_record record = {DNS_A, 0xc6120100, NULL};
    uint8_t out[DNS_ANSWER_MAX];
    parse(query, sizeof query - 1, &question);
    gsize length = dns_answer(&question, DNS_NO_ERROR, &record, out);
    g_assert_cmpmem(out, length, expected, sizeof expected - 1);
    length = dns_answer(&question, DNS_NO_NAME, &record, out);
    g_assert_cmpuint(length, ==, sizeof query - 1);
    g_assert_cmpint(out[3], ==, 0x83);
    g_assert_cmpint(out[7], ==, 0);
    /* Without a question that can be read, the answer is a header. */
    parse(query, 14, &question);
    g_assert_cmpuint(dns_answer(&question, question.code, NULL, out), ==, 12);
    record = (struct dns_record){DNS_PTR, 0, "api.example.com"};
    parse(query, sizeof query - 1, &question);
    length = dns_answer(&question, DNS_NO_ERROR, &record, out);
    g_assert_cmpmem(out + length - 17, 17, "\3api\7example\3com", 17);
}

static void reverse_names(void)
{
    g_assert_cmphex(dns_reverse_address("0.1.18.198.in-addr.arpa"), ==, 0xc6120100);
    static const char *const wrong[] = {"00.1.18.198.in-addr.arpa", "256.1.18.198.in-addr.arpa",
                                        "1.18.198.in-addr.arpa",    "0.1.18.198.in-addr.arpa.com",
                                        "0.1.18.198.ip6.arpa",      "",
                                        "+1.1.18.198.in-addr.arpa"};
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++)
        g_assert_cmphex(dns_reverse_address(wrong[i]), ==, 0);
}

static void assert_contents(const char *path, const char *expected)
{
    g_autofree char *text = NULL;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_assert_cmpstr(text, ==, expected);
}

static void names_keep_their_addresses(void)
{
    g_autofree char *folder = g_dir_make_tmp("gate-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "names", NULL);
    /* The last line was cut off: its name was never answered with. */
    g_assert_true(g_file_set_contents(path, "a.example.com\nb.exam", -1, NULL));
    g_assert_cmpint(fake_names_open(path), ==, 0);
    g_assert_cmphex(fake_names_address("a.example.com", true), ==, FAKE_NETWORK + 256);
    g_assert_cmphex(fake_names_address("c.example.com", false), ==, FAKE_NETWORK + 257);
    g_assert_cmpstr(fake_names_find(FAKE_NETWORK + 257), ==, "c.example.com");
    g_assert_null(fake_names_find(FAKE_NETWORK + 258));
    g_assert_null(fake_names_find(FAKE_SERVER));
    g_assert_null(fake_names_find(0));
    assert_contents(path, "a.example.com\nc.example.com\n");
    /* Those that only a "*." rule has leave room for others. */
    const int most = FAKE_NAMES_MAX - FAKE_NAMES_RESERVED;
    for (int i = 2; i < FAKE_NAMES_MAX; i++) {
        g_autofree char *name = g_strdup_printf("n%d.example.com", i);
        if (i >= most) {
            g_assert_cmphex(fake_names_address(name, false), ==, 0);
            g_assert_cmpint(errno, ==, ENOSPC);
        }
        g_assert_cmphex(fake_names_address(name, i >= most), ==, FAKE_NETWORK + 256 + (uint32_t)i);
    }
    g_assert_cmphex(fake_names_address("one-more.example.com", true), ==, 0);
    g_assert_cmpint(errno, ==, ENOSPC);
    g_assert_cmphex(fake_names_address("c.example.com", false), ==, FAKE_NETWORK + 257);
    g_remove(path);
    g_rmdir(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gate_dns/questions", questions_are_read);
    g_test_add_func("/gate_dns/odd", odd_questions_are_refused);
    g_test_add_func("/gate_dns/answers", answers_are_written);
    g_test_add_func("/gate_dns/reverse", reverse_names);
    g_test_add_func("/gate_dns/names", names_keep_their_addresses);
    return g_test_run();
}
