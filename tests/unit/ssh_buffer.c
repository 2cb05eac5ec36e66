/* Readers and writers of SSH's data types: malformed data is rejected, limits hold. */
#include <glib.h>
#include <string.h>

#include "ssh-agent/wire/buffer.h"

#define READER(literal) ssh_reader_of(SSH_SPAN(literal))

static void numbers(void)
{
    struct ssh_reader reader = READER("\x01\x00\x00\x01\x02\x00\x00\x00\x01\x00\x00\x00\x02");
    guint8 byte;
    guint32 u32;
    guint64 u64;
    g_assert_true(ssh_read_byte(&reader, &byte) && byte == 1);
    g_assert_true(ssh_read_u32(&reader, &u32) && u32 == 0x0102);
    g_assert_false(ssh_reader_done(&reader));
    g_assert_true(ssh_read_u64(&reader, &u64) && u64 == 0x100000002);
    g_assert_true(ssh_reader_done(&reader));
    g_assert_false(ssh_read_byte(&reader, &byte));
    g_assert_cmpint(byte, ==, 0);
    g_assert_false(ssh_reader_done(&reader));
}

/* After a failure every read fails, even if enough bytes are left. */
static void failure_stays(void)
{
    struct ssh_reader reader = READER("\x00\x00\x00\x05hell");
    struct ssh_span value;
    guint8 byte;
    g_assert_false(ssh_read_string(&reader, &value));
    g_assert_cmpint(value.length, ==, 0);
    g_assert_false(ssh_read_byte(&reader, &byte));
    g_assert_false(ssh_reader_done(&reader));
    reader = READER("\xff\xff\xff\xff");
    g_assert_false(ssh_read_string(&reader, &value));
    reader = ssh_reader_of((struct ssh_span){0});
    g_assert_true(ssh_read_raw(&reader, 0, &value));
    g_assert_true(ssh_reader_done(&reader));
}

static void strings(void)
{
    struct ssh_reader reader = READER("\x00\x00\x00\x03g\0t\x00\x00\x00\x00");
    struct ssh_span value;
    g_assert_true(ssh_read_string(&reader, &value));
    g_assert_true(ssh_span_equal(value, SSH_SPAN("g\0t")));
    g_assert_false(ssh_span_equal(value, SSH_SPAN("g")));
    g_assert_true(ssh_read_string(&reader, &value));
    g_assert_true(ssh_span_equal(value, (struct ssh_span){0}));
    g_assert_true(ssh_reader_done(&reader));
}

static void mpints(void)
{
    const struct {
        struct ssh_span wire;
        gboolean good;
        struct ssh_span magnitude;
    } cases[] = {
        {SSH_SPAN("\x00\x00\x00\x01\x7f"), TRUE, SSH_SPAN("\x7f")},
        {SSH_SPAN("\x00\x00\x00\x02\x00\x80"), TRUE, SSH_SPAN("\x80")},
        {SSH_SPAN("\x00\x00\x00\x02\x01\x00"), TRUE, SSH_SPAN("\x01\x00")},
        {SSH_SPAN("\x00\x00\x00\x00"), FALSE, {0}},         /* zero */
        {SSH_SPAN("\x00\x00\x00\x01\x00"), FALSE, {0}},     /* zero with a needless byte */
        {SSH_SPAN("\x00\x00\x00\x01\x80"), FALSE, {0}},     /* negative */
        {SSH_SPAN("\x00\x00\x00\x02\x00\x7f"), FALSE, {0}}, /* needless leading zero */
        {SSH_SPAN("\x00\x00\x00\x03\x00\x00\x80"), FALSE, {0}},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct ssh_reader reader = ssh_reader_of(cases[i].wire);
        struct ssh_span value;
        g_assert_cmpint(ssh_read_mpint(&reader, &value), ==, cases[i].good);
        g_assert_true(ssh_span_equal(value, cases[i].magnitude));
        g_assert_cmpint(ssh_reader_done(&reader), ==, cases[i].good);
    }
}

static void writes(void)
{
    struct ssh_writer writer = {0};
    size_t outer = ssh_write_begin(&writer);
    ssh_write_byte(&writer, 7);
    ssh_write_text(&writer, "ab");
    ssh_write_u64(&writer, 1);
    ssh_write_mpint(&writer, SSH_SPAN("\0\0\x80"));
    ssh_write_mpint(&writer, SSH_SPAN("\0"));
    ssh_write_end(&writer, outer);
    g_assert_true(
        ssh_span_equal(ssh_writer_span(&writer), SSH_SPAN("\0\0\0\x19\x07\0\0\0\2ab\0\0\0\0\0\0\0\1"
                                                          "\0\0\0\2\0\x80\0\0\0\0")));
    ssh_writer_clear(&writer);
    g_assert_cmpint(ssh_writer_span(&writer).length, ==, 0);
}

/* A writer never exceeds its limit, and returns nothing after a failure. */
static void limits(void)
{
    struct ssh_writer writer = {0};
    guchar small[6], large[4096] = {0};
    while (!writer.failed) {
        g_assert_cmpuint(writer.length, <=, SSH_WRITER_MAX);
        ssh_write_raw(&writer, (struct ssh_span){large, sizeof large});
    }
    g_assert_cmpuint(writer.length, >, SSH_WRITER_MAX - sizeof large);
    g_assert_cmpint(ssh_writer_span(&writer).length, ==, 0);
    ssh_write_end(&writer, ssh_write_begin(&writer));
    ssh_writer_clear(&writer);

    ssh_writer_init_over(&writer, small, sizeof small);
    ssh_write_text(&writer, "ab");
    g_assert_cmpmem(small, sizeof small, "\0\0\0\2ab", 6);
    ssh_write_byte(&writer, 0);
    g_assert_true(writer.failed);
    ssh_writer_clear(&writer);
    g_assert_false(writer.failed);
    g_assert_cmpmem(small, sizeof small, "\0\0\0\0\0\0", 6);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ssh-buffer/numbers", numbers);
    g_test_add_func("/ssh-buffer/reads-fail-after-a-failure", failure_stays);
    g_test_add_func("/ssh-buffer/strings", strings);
    g_test_add_func("/ssh-buffer/mpints", mpints);
    g_test_add_func("/ssh-buffer/writes", writes);
    g_test_add_func("/ssh-buffer/limits", limits);
    return g_test_run();
}
