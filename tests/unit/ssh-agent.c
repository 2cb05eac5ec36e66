/* Requests and replies of the agent protocol: every row of the table, and hostile ones. */
#include "ssh-recorded.h"

#define BIND "\0\0\0\x18session-bind@openssh.com"
#define SIGN "\x0d\0\0\0\2kk\0\0\0\3ddd\0\0\0\4"

static void rows(void)
{
    const struct {
        struct ssh_span message;
        enum ssh_request_kind kind;
        gboolean malformed;
    } cases[] = {
        {SSH_SPAN("\x0b"), SSH_REQUEST_LIST, FALSE},
        {SSH_SPAN(SIGN), SSH_REQUEST_SIGN, FALSE},
        {SSH_SPAN("\x1b\0\0\0\5query"), SSH_REQUEST_QUERY, FALSE},
        {SSH_SPAN("\x1b" BIND "whatever"), SSH_REQUEST_BIND, FALSE},
        {SSH_SPAN("\x1b" BIND), SSH_REQUEST_BIND, FALSE},
        {SSH_SPAN("\x1b\0\0\0\x10ssh-env@gnupg.org"), SSH_REQUEST_REFUSED, FALSE},
        {SSH_SPAN("\x1b\0\0\0\6query\0"), SSH_REQUEST_REFUSED, FALSE},
        {SSH_SPAN("\x1b\0\0\0\0"), SSH_REQUEST_REFUSED, FALSE},
        {SSH_SPAN(""), SSH_REQUEST_REFUSED, TRUE},
        {SSH_SPAN("\x0b\0"), SSH_REQUEST_REFUSED, TRUE},
        {SSH_SPAN("\x1b"), SSH_REQUEST_REFUSED, TRUE},
        {SSH_SPAN("\x1b\0\0\0\5quer"), SSH_REQUEST_REFUSED, TRUE},
        {SSH_SPAN("\x1b\0\0\0\5query\0"), SSH_REQUEST_REFUSED, TRUE},
        {SSH_SPAN(SIGN "\0"), SSH_REQUEST_REFUSED, TRUE},
        {SSH_SPAN("\x0d\xff\xff\xff\xffkk"), SSH_REQUEST_REFUSED, TRUE},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct ssh_request request;
        ssh_request_parse(&request, cases[i].message);
        g_assert_cmpint(request.kind, ==, cases[i].kind);
        g_assert_cmpint(request.malformed, ==, cases[i].malformed);
        g_assert_cmpint(request.type, ==, cases[i].message.length ? cases[i].message.data[0] : 0);
    }
}

/* Every other number is refused, whatever its body: adds, removes, locks, smartcards, SSH 1. */
static void other_numbers(void)
{
    for (int type = 0; type < 256; type++) {
        guchar body[] = {(guchar)type, 0, 0, 0, 0};
        struct ssh_request request;
        if (type == SSH_AGENT_LIST || type == SSH_AGENT_SIGN || type == SSH_AGENT_EXTENSION)
            continue;
        for (gsize length = 1; length <= sizeof body; length++) {
            ssh_request_parse(&request, (struct ssh_span){body, length});
            g_assert_cmpint(request.kind, ==, SSH_REQUEST_REFUSED);
            g_assert_cmpint(request.type, ==, type);
        }
    }
}

static void sign_parts(void)
{
    struct ssh_request request;
    ssh_request_parse(&request, SSH_SPAN(SIGN));
    g_assert_true(ssh_span_equal(request.key, SSH_SPAN("kk")));
    g_assert_true(ssh_span_equal(request.data, SSH_SPAN("ddd")));
    g_assert_cmpuint(request.flags, ==, 4);
    for (gsize length = 0; length < sizeof SIGN - 1; length++) {
        ssh_request_parse(&request, (struct ssh_span){(const guchar *)SIGN, length});
        g_assert_cmpint(request.kind, ==, SSH_REQUEST_REFUSED);
        g_assert_cmpuint(request.key.length + request.data.length + request.flags, ==, 0);
    }
}

/* What OpenSSH's clients send is understood, and what its agent answers to it. */
static void recorded_talk(void)
{
    g_autoptr(GPtrArray) all = recorded_load();
    guint8 last = 0;
    for (guint i = 0; i < all->len; i++) {
        const recorded *one = all->pdata[i];
        struct ssh_request request;
        struct ssh_reply_facts facts;
        if (one->who == 'C') {
            ssh_request_parse(&request, recorded_span(one));
            last = request.type;
            gboolean refused =
                last == SSH_AGENT_REMOVE || last == SSH_AGENT_REMOVE_ALL || last == 9;
            g_assert_cmpint(request.kind == SSH_REQUEST_REFUSED, ==, refused);
            g_assert_false(request.malformed);
        } else if (one->who == 'A' && last != SSH_AGENT_REMOVE && last != SSH_AGENT_REMOVE_ALL &&
                   last != 9) {
            g_assert_cmpint(ssh_reply_parse(&facts, last, recorded_span(one)), ==, SSH_REPLY_OK);
        }
    }
}

static void replies(void)
{
    const struct {
        enum ssh_agent_type request;
        struct ssh_span message;
        enum ssh_reply reply;
    } cases[] = {
        {SSH_AGENT_LIST, SSH_SPAN("\x0c\0\0\0\0"), SSH_REPLY_OK},
        {SSH_AGENT_LIST, SSH_SPAN("\x0c\0\0\0\1\0\0\0\1k\0\0\0\0"), SSH_REPLY_OK},
        {SSH_AGENT_LIST, SSH_SPAN("\x0c\0\0\0\1\0\0\0\1k\0\0\0"), SSH_REPLY_BAD},
        {SSH_AGENT_LIST, SSH_SPAN("\x0c\0\0\0\0\0"), SSH_REPLY_BAD},
        {SSH_AGENT_LIST, SSH_SPAN("\x0c\0\0\0\2\0\0\0\1k\0\0\0\0"), SSH_REPLY_BAD},
        {SSH_AGENT_LIST, SSH_SPAN("\x0c\xff\xff\xff\xff"), SSH_REPLY_BAD},
        {SSH_AGENT_LIST, SSH_SPAN("\x0c\0\0\0"), SSH_REPLY_BAD},
        {SSH_AGENT_LIST, SSH_SPAN("\x0e\0\0\0\0"), SSH_REPLY_BAD},
        {SSH_AGENT_LIST, SSH_SPAN("\6"), SSH_REPLY_BAD},
        {SSH_AGENT_LIST, SSH_SPAN(""), SSH_REPLY_BAD},
        {SSH_AGENT_SIGN, SSH_SPAN("\x0e\0\0\0\2ss"), SSH_REPLY_OK},
        {SSH_AGENT_SIGN, SSH_SPAN("\x0e\0\0\0\2sss"), SSH_REPLY_BAD},
        {SSH_AGENT_SIGN, SSH_SPAN("\x0e\0\0\0\2s"), SSH_REPLY_BAD},
        {SSH_AGENT_SIGN, SSH_SPAN("\x0c\0\0\0\0"), SSH_REPLY_BAD},
        {SSH_AGENT_SIGN, SSH_SPAN("\5"), SSH_REPLY_FAILED},
        {SSH_AGENT_SIGN, SSH_SPAN("\x1c"), SSH_REPLY_FAILED},
        {SSH_AGENT_SIGN, SSH_SPAN("\x1e"), SSH_REPLY_FAILED},
        {SSH_AGENT_SIGN, SSH_SPAN("\x66"), SSH_REPLY_FAILED},
        {SSH_AGENT_EXTENSION, SSH_SPAN("\6"), SSH_REPLY_OK},
        {SSH_AGENT_EXTENSION, SSH_SPAN("\6\0"), SSH_REPLY_BAD},
        {SSH_AGENT_EXTENSION, SSH_SPAN("\x0e\0\0\0\0"), SSH_REPLY_BAD},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct ssh_reply_facts facts;
        g_assert_cmpint(ssh_reply_parse(&facts, cases[i].request, cases[i].message), ==,
                        cases[i].reply);
        if (cases[i].reply != SSH_REPLY_OK)
            g_assert_cmpuint(facts.identity_count + facts.signature.length, ==, 0);
    }
}

static enum ssh_reply parse_list_of(guint32 count)
{
    struct ssh_reply_facts facts;
    struct ssh_writer writer = {0};
    ssh_write_byte(&writer, SSH_AGENT_IDENTITIES);
    ssh_write_u32(&writer, count);
    for (guint32 i = 0; i < count; i++) {
        ssh_write_text(&writer, "key");
        ssh_write_text(&writer, "");
    }
    enum ssh_reply reply = ssh_reply_parse(&facts, SSH_AGENT_LIST, ssh_writer_span(&writer));
    ssh_writer_clear(&writer);
    return reply;
}

static void longest_list(void)
{
    struct ssh_writer writer = {0};
    g_autofree struct ssh_identity *many =
        g_new0(struct ssh_identity, SSH_AGENT_IDENTITIES_MAX + 1);
    g_assert_cmpint(parse_list_of(SSH_AGENT_IDENTITIES_MAX), ==, SSH_REPLY_OK);
    g_assert_cmpint(parse_list_of(SSH_AGENT_IDENTITIES_MAX + 1), ==, SSH_REPLY_BAD);
    ssh_agent_write_identities(&writer, many, SSH_AGENT_IDENTITIES_MAX + 1);
    g_assert_true(writer.failed);
    ssh_writer_clear(&writer);
}

/* Takes what WRITE wrote and holds it against EXPECTED, a whole frame. */
static void assert_written(struct ssh_writer *writer, struct ssh_span expected)
{
    g_assert_true(ssh_span_equal(ssh_writer_span(writer), expected));
    ssh_writer_clear(writer);
}

static void written(void)
{
    struct ssh_writer to = {0};
    const struct ssh_identity one = {SSH_SPAN("key"), SSH_SPAN("label")};
    ssh_agent_write_failure(&to);
    assert_written(&to, SSH_SPAN("\0\0\0\1\5"));
    ssh_agent_write_success(&to);
    assert_written(&to, SSH_SPAN("\0\0\0\1\6"));
    ssh_agent_write_extension_failure(&to);
    assert_written(&to, SSH_SPAN("\0\0\0\1\x1c"));
    ssh_agent_write_list(&to);
    assert_written(&to, SSH_SPAN("\0\0\0\1\x0b"));
    ssh_agent_write_identities(&to, NULL, 0);
    assert_written(&to, SSH_SPAN("\0\0\0\5\x0c\0\0\0\0"));
    ssh_agent_write_identities(&to, &one, 1);
    assert_written(&to, SSH_SPAN("\0\0\0\x15\x0c\0\0\0\1\0\0\0\3key\0\0\0\5label"));
    ssh_agent_write_signature(&to, SSH_SPAN("sig"));
    assert_written(&to, SSH_SPAN("\0\0\0\x08\x0e\0\0\0\3sig"));
    ssh_agent_write_message(&to, SSH_SPAN(SIGN));
    assert_written(&to, SSH_SPAN("\0\0\0\x12" SIGN));
    ssh_agent_write_query(&to);
    assert_written(&to, SSH_SPAN("\0\0\0\x26\x1d\0\0\0\5query" BIND));
}

/* What was written for upstream's list reads back in order. */
static void list_round_trip(void)
{
    const struct ssh_identity two[] = {{SSH_SPAN("a"), SSH_SPAN("x\0y")}, {SSH_SPAN("b"), {0}}};
    struct ssh_writer to = {0};
    struct ssh_reply_facts facts;
    struct ssh_identity identity;
    ssh_agent_write_identities(&to, two, 2);
    struct ssh_span message = {to.data + 4, to.length - 4};
    g_assert_cmpint(ssh_reply_parse(&facts, SSH_AGENT_LIST, message), ==, SSH_REPLY_OK);
    g_assert_cmpuint(facts.identity_count, ==, 2);
    for (gsize i = 0; i < 2; i++) {
        g_assert_true(ssh_identity_next(&facts.identities, &identity));
        g_assert_true(ssh_span_equal(identity.blob, two[i].blob));
        g_assert_true(ssh_span_equal(identity.comment, two[i].comment));
    }
    g_assert_false(ssh_identity_next(&facts.identities, &identity));
    ssh_writer_clear(&to);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ssh-agent/rows", rows);
    g_test_add_func("/ssh-agent/other-numbers", other_numbers);
    g_test_add_func("/ssh-agent/sign-parts", sign_parts);
    g_test_add_func("/ssh-agent/recorded", recorded_talk);
    g_test_add_func("/ssh-agent/replies", replies);
    g_test_add_func("/ssh-agent/longest-list", longest_list);
    g_test_add_func("/ssh-agent/written", written);
    g_test_add_func("/ssh-agent/list-round-trip", list_round_trip);
    return g_test_run();
}
