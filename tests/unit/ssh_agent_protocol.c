/* Requests and replies of the SSH agent protocol, valid and hostile. */
#include "ssh_recorded.h"

#define BIND "\0\0\0\x18session-bind@openssh.com"
#define SIGN "\x0d\0\0\0\2kk\0\0\0\3ddd\0\0\0\4"

static void requests(void)
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

/* All other message types are refused, whatever their contents: add, remove, lock, smartcards,
 * SSH 1.
 */
static void other_types(void)
{
    for (int type = 0; type < 256; type++) {
        guchar body[] = {(guchar)type, 0, 0, 0, 0};
        struct ssh_request request;
        if (type == SSH_AGENTC_REQUEST_IDENTITIES || type == SSH_AGENTC_SIGN_REQUEST ||
            type == SSH_AGENTC_EXTENSION)
            continue;
        for (gsize length = 1; length <= sizeof body; length++) {
            ssh_request_parse(&request, (struct ssh_span){body, length});
            g_assert_cmpint(request.kind, ==, SSH_REQUEST_REFUSED);
            g_assert_cmpint(request.type, ==, type);
        }
    }
}

static void sign_fields(void)
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

/* Messages of OpenSSH's clients, and the replies of its agent. */
static void recorded_messages(void)
{
    g_autoptr(GPtrArray) all = recorded_load();
    guint8 last = 0;
    for (guint i = 0; i < all->len; i++) {
        const recorded *one = all->pdata[i];
        struct ssh_request request;
        struct ssh_reply reply;
        if (one->kind == 'C') {
            ssh_request_parse(&request, recorded_span(one));
            last = request.type;
            gboolean refused = last == SSH_AGENTC_REMOVE_IDENTITY ||
                               last == SSH_AGENTC_REMOVE_ALL_IDENTITIES || last == 9;
            g_assert_cmpint(request.kind == SSH_REQUEST_REFUSED, ==, refused);
            g_assert_false(request.malformed);
        } else if (one->kind == 'A' && last != SSH_AGENTC_REMOVE_IDENTITY &&
                   last != SSH_AGENTC_REMOVE_ALL_IDENTITIES && last != 9) {
            g_assert_cmpint(ssh_reply_parse(&reply, last, recorded_span(one)), ==, SSH_REPLY_OK);
        }
    }
}

static void replies(void)
{
    const struct {
        enum ssh_agent_message_type request;
        struct ssh_span message;
        enum ssh_reply_status status;
    } cases[] = {
        {SSH_AGENTC_REQUEST_IDENTITIES, SSH_SPAN("\x0c\0\0\0\0"), SSH_REPLY_OK},
        {SSH_AGENTC_REQUEST_IDENTITIES, SSH_SPAN("\x0c\0\0\0\1\0\0\0\1k\0\0\0\0"), SSH_REPLY_OK},
        {SSH_AGENTC_REQUEST_IDENTITIES, SSH_SPAN("\x0c\0\0\0\1\0\0\0\1k\0\0\0"), SSH_REPLY_INVALID},
        {SSH_AGENTC_REQUEST_IDENTITIES, SSH_SPAN("\x0c\0\0\0\0\0"), SSH_REPLY_INVALID},
        {SSH_AGENTC_REQUEST_IDENTITIES, SSH_SPAN("\x0c\0\0\0\2\0\0\0\1k\0\0\0\0"),
         SSH_REPLY_INVALID},
        {SSH_AGENTC_REQUEST_IDENTITIES, SSH_SPAN("\x0c\xff\xff\xff\xff"), SSH_REPLY_INVALID},
        {SSH_AGENTC_REQUEST_IDENTITIES, SSH_SPAN("\x0c\0\0\0"), SSH_REPLY_INVALID},
        {SSH_AGENTC_REQUEST_IDENTITIES, SSH_SPAN("\x0e\0\0\0\0"), SSH_REPLY_INVALID},
        {SSH_AGENTC_REQUEST_IDENTITIES, SSH_SPAN("\6"), SSH_REPLY_INVALID},
        {SSH_AGENTC_REQUEST_IDENTITIES, SSH_SPAN(""), SSH_REPLY_INVALID},
        {SSH_AGENTC_SIGN_REQUEST, SSH_SPAN("\x0e\0\0\0\2ss"), SSH_REPLY_OK},
        {SSH_AGENTC_SIGN_REQUEST, SSH_SPAN("\x0e\0\0\0\2sss"), SSH_REPLY_INVALID},
        {SSH_AGENTC_SIGN_REQUEST, SSH_SPAN("\x0e\0\0\0\2s"), SSH_REPLY_INVALID},
        {SSH_AGENTC_SIGN_REQUEST, SSH_SPAN("\x0c\0\0\0\0"), SSH_REPLY_INVALID},
        {SSH_AGENTC_SIGN_REQUEST, SSH_SPAN("\5"), SSH_REPLY_FAILED},
        {SSH_AGENTC_SIGN_REQUEST, SSH_SPAN("\x1c"), SSH_REPLY_FAILED},
        {SSH_AGENTC_SIGN_REQUEST, SSH_SPAN("\x1e"), SSH_REPLY_FAILED},
        {SSH_AGENTC_SIGN_REQUEST, SSH_SPAN("\x66"), SSH_REPLY_FAILED},
        {SSH_AGENTC_EXTENSION, SSH_SPAN("\6"), SSH_REPLY_OK},
        {SSH_AGENTC_EXTENSION, SSH_SPAN("\6\0"), SSH_REPLY_INVALID},
        {SSH_AGENTC_EXTENSION, SSH_SPAN("\x0e\0\0\0\0"), SSH_REPLY_INVALID},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct ssh_reply reply;
        g_assert_cmpint(ssh_reply_parse(&reply, cases[i].request, cases[i].message), ==,
                        cases[i].status);
        if (cases[i].status != SSH_REPLY_OK)
            g_assert_cmpuint(reply.identity_count + reply.signature.length, ==, 0);
    }
}

static enum ssh_reply_status parse_list_of(guint32 count)
{
    struct ssh_reply reply;
    struct ssh_writer writer = {0};
    ssh_write_byte(&writer, SSH_AGENT_IDENTITIES_ANSWER);
    ssh_write_u32(&writer, count);
    for (guint32 i = 0; i < count; i++) {
        ssh_write_text(&writer, "key");
        ssh_write_text(&writer, "");
    }
    enum ssh_reply_status status =
        ssh_reply_parse(&reply, SSH_AGENTC_REQUEST_IDENTITIES, ssh_writer_span(&writer));
    ssh_writer_clear(&writer);
    return status;
}

static void longest_list(void)
{
    struct ssh_writer writer = {0};
    g_autofree struct ssh_identity *many =
        g_new0(struct ssh_identity, SSH_AGENT_IDENTITIES_MAX + 1);
    g_assert_cmpint(parse_list_of(SSH_AGENT_IDENTITIES_MAX), ==, SSH_REPLY_OK);
    g_assert_cmpint(parse_list_of(SSH_AGENT_IDENTITIES_MAX + 1), ==, SSH_REPLY_INVALID);
    ssh_agent_write_identities(&writer, many, SSH_AGENT_IDENTITIES_MAX + 1);
    g_assert_true(writer.failed);
    ssh_writer_clear(&writer);
}

/* Compares the bytes of WRITER with EXPECTED, a message with its length, and clears WRITER. */
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
    ssh_agent_write_identities_request(&to);
    assert_written(&to, SSH_SPAN("\0\0\0\1\x0b"));
    ssh_agent_write_identities(&to, NULL, 0);
    assert_written(&to, SSH_SPAN("\0\0\0\5\x0c\0\0\0\0"));
    ssh_agent_write_identities(&to, &one, 1);
    assert_written(&to, SSH_SPAN("\0\0\0\x15\x0c\0\0\0\1\0\0\0\3key\0\0\0\5label"));
    ssh_agent_write_signature(&to, SSH_SPAN("sig"));
    assert_written(&to, SSH_SPAN("\0\0\0\x08\x0e\0\0\0\3sig"));
    ssh_agent_write_message(&to, SSH_SPAN(SIGN));
    assert_written(&to, SSH_SPAN("\0\0\0\x12" SIGN));
    ssh_agent_write_query_response(&to);
    assert_written(&to, SSH_SPAN("\0\0\0\x26\x1d\0\0\0\5query" BIND));
}

/* A list that was written parses to the same identities. */
static void list_round_trip(void)
{
    const struct ssh_identity two[] = {{SSH_SPAN("a"), SSH_SPAN("x\0y")}, {SSH_SPAN("b"), {0}}};
    struct ssh_writer to = {0};
    struct ssh_reply reply;
    struct ssh_identity identity;
    ssh_agent_write_identities(&to, two, 2);
    struct ssh_span message = {to.data + 4, to.length - 4};
    g_assert_cmpint(ssh_reply_parse(&reply, SSH_AGENTC_REQUEST_IDENTITIES, message), ==,
                    SSH_REPLY_OK);
    g_assert_cmpuint(reply.identity_count, ==, 2);
    for (gsize i = 0; i < 2; i++) {
        g_assert_true(ssh_identity_next(&reply.identities, &identity));
        g_assert_true(ssh_span_equal(identity.blob, two[i].blob));
        g_assert_true(ssh_span_equal(identity.comment, two[i].comment));
    }
    g_assert_false(ssh_identity_next(&reply.identities, &identity));
    ssh_writer_clear(&to);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ssh-agent-protocol/requests-parse", requests);
    g_test_add_func("/ssh-agent-protocol/other-types-are-refused", other_types);
    g_test_add_func("/ssh-agent-protocol/sign-request-fields", sign_fields);
    g_test_add_func("/ssh-agent-protocol/openssh-messages-parse", recorded_messages);
    g_test_add_func("/ssh-agent-protocol/replies-parse", replies);
    g_test_add_func("/ssh-agent-protocol/identities-are-limited", longest_list);
    g_test_add_func("/ssh-agent-protocol/writers", written);
    g_test_add_func("/ssh-agent-protocol/identities-round-trip", list_round_trip);
    return g_test_run();
}
