/* The stream: any pieces, many messages at once, hostile lengths. */
#include <glib.h>
#include <string.h>

#include "ssh-agent/wire/agent_protocol.h"

#define TWO_MESSAGES "\0\0\0\1\x0b\0\0\0\3\x0dxy"

static void assert_next(struct ssh_message_stream *stream, struct ssh_span expected)
{
    struct ssh_span message;
    g_assert_cmpint(ssh_message_stream_next(stream, &message), ==, SSH_MESSAGE_COMPLETE);
    g_assert_true(ssh_span_equal(message, expected));
}

static enum ssh_message_status next(struct ssh_message_stream *stream)
{
    struct ssh_span message;
    enum ssh_message_status result = ssh_message_stream_next(stream, &message);
    if (result != SSH_MESSAGE_COMPLETE)
        g_assert_cmpuint(message.length, ==, 0);
    return result;
}

static void pipelined(void)
{
    struct ssh_message_stream stream = {0};
    g_assert_cmpint(next(&stream), ==, SSH_MESSAGE_INCOMPLETE);
    g_assert_true(ssh_message_stream_feed(&stream, TWO_MESSAGES "\0", sizeof TWO_MESSAGES));
    assert_next(&stream, SSH_SPAN("\x0b"));
    assert_next(&stream, SSH_SPAN("\x0dxy"));
    g_assert_cmpint(next(&stream), ==, SSH_MESSAGE_INCOMPLETE);
    g_assert_cmpuint(stream.length, >, stream.start);
    g_assert_true(ssh_message_stream_feed(&stream, "\0\0\1z", 4));
    assert_next(&stream, SSH_SPAN("z"));
    g_assert_cmpuint(stream.length, ==, stream.start);
    ssh_message_stream_clear(&stream);
}

static void byte_by_byte(void)
{
    struct ssh_message_stream stream = {0};
    const char bytes[] = TWO_MESSAGES;
    for (gsize i = 0; i < sizeof bytes - 1; i++) {
        g_assert_true(ssh_message_stream_feed(&stream, bytes + i, 1));
        if (i == 4)
            assert_next(&stream, SSH_SPAN("\x0b"));
        else if (i == sizeof bytes - 2)
            assert_next(&stream, SSH_SPAN("\x0dxy"));
        g_assert_cmpint(next(&stream), ==, SSH_MESSAGE_INCOMPLETE);
    }
    g_assert_null(stream.data); /* an idle connection holds no memory */
}

/* Messages in front of an invalid length are returned, but nothing after it. */
static void invalid_lengths(void)
{
    const struct ssh_span bad[] = {
        SSH_SPAN("\0\0\0\0"),
        SSH_SPAN("\0\4\0\1"), /* 262145 */
        SSH_SPAN("\xff\xff\xff\xff"),
        SSH_SPAN("\x80\0\0\0"),
    };
    for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
        struct ssh_message_stream stream = {0};
        g_assert_true(ssh_message_stream_feed(&stream, "\0\0\0\1\x0b", 5));
        g_assert_true(ssh_message_stream_feed(&stream, bad[i].data, 4));
        assert_next(&stream, SSH_SPAN("\x0b"));
        g_assert_cmpint(next(&stream), ==, SSH_MESSAGE_INVALID);
        g_assert_cmpint(next(&stream), ==, SSH_MESSAGE_INVALID);
        g_assert_false(ssh_message_stream_feed(&stream, "\0\0\0\1\x0b", 5));
        g_assert_cmpint(next(&stream), ==, SSH_MESSAGE_INVALID);
        ssh_message_stream_clear(&stream);
    }
}

/* The longest message is returned, although chunks do not end where it ends. */
static void longest(void)
{
    struct ssh_message_stream stream = {0};
    const gsize total = 2 * (4 + SSH_MESSAGE_MAX);
    g_autofree guchar *bytes = g_malloc0(total);
    guint found = 0;
    for (gsize i = 0; i < 2; i++)
        memcpy(bytes + i * (4 + SSH_MESSAGE_MAX), "\0\4\0\0", 4);
    for (gsize at = 0; at < total;) {
        gsize part = MIN(SSH_MESSAGE_CHUNK, total - at);
        struct ssh_span message;
        g_assert_true(ssh_message_stream_feed(&stream, bytes + at, part));
        at += part;
        while (ssh_message_stream_next(&stream, &message) == SSH_MESSAGE_COMPLETE) {
            g_assert_cmpuint(message.length, ==, SSH_MESSAGE_MAX);
            found++;
        }
        g_assert_cmpuint(stream.capacity, <=, 2 * SSH_MESSAGE_MAX);
    }
    g_assert_cmpuint(found, ==, 2);
    g_assert_null(stream.data);
}

/* Feeding fails while complete messages are not taken out, or with too large a chunk. */
static void unread_messages(void)
{
    struct ssh_message_stream stream = {0};
    g_autofree guchar *bytes = g_malloc0(SSH_MESSAGE_CHUNK + 1);
    gsize fed = 0;
    memcpy(bytes, "\0\0\x3f\xfc", 4); /* one message fills a chunk */
    while (ssh_message_stream_feed(&stream, bytes, SSH_MESSAGE_CHUNK))
        fed += SSH_MESSAGE_CHUNK;
    g_assert_cmpuint(fed, <=, 4 + SSH_MESSAGE_MAX + SSH_MESSAGE_CHUNK);
    g_assert_cmpint(next(&stream), ==, SSH_MESSAGE_INVALID);
    ssh_message_stream_clear(&stream);
    g_assert_false(ssh_message_stream_feed(&stream, bytes, SSH_MESSAGE_CHUNK + 1));
    ssh_message_stream_clear(&stream);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ssh-message-stream/pipelined", pipelined);
    g_test_add_func("/ssh-message-stream/byte-by-byte", byte_by_byte);
    g_test_add_func("/ssh-message-stream/invalid-lengths", invalid_lengths);
    g_test_add_func("/ssh-message-stream/longest-message", longest);
    g_test_add_func("/ssh-message-stream/buffer-is-bounded", unread_messages);
    return g_test_run();
}
