/* The framer: any pieces, many messages at once, hostile lengths. */
#include <glib.h>
#include <string.h>

#include "ssh-agent/wire/frame.h"

#define TWO_MESSAGES "\0\0\0\1\x0b\0\0\0\3\x0dxy"

static void assert_next(struct ssh_framer *framer, struct ssh_span expected)
{
    struct ssh_span message;
    g_assert_cmpint(ssh_framer_next(framer, &message), ==, SSH_FRAME_WHOLE);
    g_assert_true(ssh_span_equal(message, expected));
}

static enum ssh_frame next(struct ssh_framer *framer)
{
    struct ssh_span message;
    enum ssh_frame result = ssh_framer_next(framer, &message);
    if (result != SSH_FRAME_WHOLE)
        g_assert_cmpuint(message.length, ==, 0);
    return result;
}

static void pipelined(void)
{
    struct ssh_framer framer = {0};
    g_assert_cmpint(next(&framer), ==, SSH_FRAME_NONE);
    g_assert_true(ssh_framer_feed(&framer, TWO_MESSAGES "\0", sizeof TWO_MESSAGES));
    assert_next(&framer, SSH_SPAN("\x0b"));
    assert_next(&framer, SSH_SPAN("\x0dxy"));
    g_assert_cmpint(next(&framer), ==, SSH_FRAME_NONE);
    g_assert_true(ssh_framer_partial(&framer));
    g_assert_true(ssh_framer_feed(&framer, "\0\0\1z", 4));
    assert_next(&framer, SSH_SPAN("z"));
    g_assert_false(ssh_framer_partial(&framer));
    ssh_framer_clear(&framer);
}

static void byte_by_byte(void)
{
    struct ssh_framer framer = {0};
    const char bytes[] = TWO_MESSAGES;
    for (gsize i = 0; i < sizeof bytes - 1; i++) {
        g_assert_true(ssh_framer_feed(&framer, bytes + i, 1));
        if (i == 4)
            assert_next(&framer, SSH_SPAN("\x0b"));
        else if (i == sizeof bytes - 2)
            assert_next(&framer, SSH_SPAN("\x0dxy"));
        g_assert_cmpint(next(&framer), ==, SSH_FRAME_NONE);
    }
    g_assert_null(framer.data); /* an idle connection costs nothing */
}

/* Messages before a bad length are given, nothing after it. */
static void bad_lengths(void)
{
    const struct ssh_span bad[] = {
        SSH_SPAN("\0\0\0\0"),
        SSH_SPAN("\0\4\0\1"), /* 262145 */
        SSH_SPAN("\xff\xff\xff\xff"),
        SSH_SPAN("\x80\0\0\0"),
    };
    for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
        struct ssh_framer framer = {0};
        g_assert_true(ssh_framer_feed(&framer, "\0\0\0\1\x0b", 5));
        g_assert_true(ssh_framer_feed(&framer, bad[i].data, 4));
        assert_next(&framer, SSH_SPAN("\x0b"));
        g_assert_cmpint(next(&framer), ==, SSH_FRAME_BAD);
        g_assert_cmpint(next(&framer), ==, SSH_FRAME_BAD);
        g_assert_false(ssh_framer_feed(&framer, "\0\0\0\1\x0b", 5));
        g_assert_cmpint(next(&framer), ==, SSH_FRAME_BAD);
        ssh_framer_clear(&framer);
    }
}

/* The longest message comes through whole, in chunks that do not fit its borders. */
static void longest(void)
{
    struct ssh_framer framer = {0};
    const gsize total = 2 * (4 + SSH_FRAME_MAX);
    g_autofree guchar *bytes = g_malloc0(total);
    guint found = 0;
    for (gsize i = 0; i < 2; i++)
        memcpy(bytes + i * (4 + SSH_FRAME_MAX), "\0\4\0\0", 4);
    for (gsize at = 0; at < total;) {
        gsize part = MIN(SSH_FRAME_CHUNK, total - at);
        struct ssh_span message;
        g_assert_true(ssh_framer_feed(&framer, bytes + at, part));
        at += part;
        while (ssh_framer_next(&framer, &message) == SSH_FRAME_WHOLE) {
            g_assert_cmpuint(message.length, ==, SSH_FRAME_MAX);
            found++;
        }
        g_assert_cmpuint(framer.room, <=, 2 * SSH_FRAME_MAX);
    }
    g_assert_cmpuint(found, ==, 2);
    g_assert_null(framer.data);
}

/* A reader that does not take messages, or feeds too much at once, is stopped. */
static void flood(void)
{
    struct ssh_framer framer = {0};
    g_autofree guchar *bytes = g_malloc0(SSH_FRAME_CHUNK + 1);
    gsize fed = 0;
    memcpy(bytes, "\0\0\x3f\xfc", 4); /* one message fills a chunk */
    while (ssh_framer_feed(&framer, bytes, SSH_FRAME_CHUNK))
        fed += SSH_FRAME_CHUNK;
    g_assert_cmpuint(fed, <=, 4 + SSH_FRAME_MAX + SSH_FRAME_CHUNK);
    g_assert_cmpint(next(&framer), ==, SSH_FRAME_BAD);
    ssh_framer_clear(&framer);
    g_assert_false(ssh_framer_feed(&framer, bytes, SSH_FRAME_CHUNK + 1));
    ssh_framer_clear(&framer);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ssh-frame/pipelined", pipelined);
    g_test_add_func("/ssh-frame/byte-by-byte", byte_by_byte);
    g_test_add_func("/ssh-frame/bad-lengths", bad_lengths);
    g_test_add_func("/ssh-frame/longest", longest);
    g_test_add_func("/ssh-frame/flood", flood);
    return g_test_run();
}
