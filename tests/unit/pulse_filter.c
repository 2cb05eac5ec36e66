/* The filter between a program in a box and the host's sound server, packet by packet. */
#include "host/bridge/audio/pulse_filter.h"

#include <glib.h>
#include <string.h>

#include "host/bridge/audio/pulse_rewrite.h"

#define NONE 0xffffffffu
#define HEAD 20
#define OUR_TAG 0xfffffff0u
#define ACCESS 1

static struct pulse_filter filter;
static struct byte_queue to_server, to_program;
static guint tag;

static void begin(unsigned permissions)
{
    filter = (struct pulse_filter){.client = {.box = "shop", .permissions = permissions}};
    tag = 0;
}

static void end(void)
{
    byte_queue_clear(&filter.held);
    byte_queue_clear(&to_server);
    byte_queue_clear(&to_program);
}

/* A packet; its values follow. */
static GByteArray *packet(guint command, guint of)
{
    GByteArray *frame = g_byte_array_new();
    struct byte_queue values = {0};
    guint8 head[HEAD] = {0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};
    g_byte_array_append(frame, head, HEAD);
    tagstruct_put_u32(&values, command);
    tagstruct_put_u32(&values, of);
    g_byte_array_append(frame, values.data, (guint)values.length);
    byte_queue_clear(&values);
    return frame;
}

static void put_number(GByteArray *frame, guint number)
{
    struct byte_queue value = {0};
    tagstruct_put_u32(&value, number);
    g_byte_array_append(frame, value.data, (guint)value.length);
    byte_queue_clear(&value);
}

static void put_text(GByteArray *frame, const char *text)
{
    struct byte_queue value = {0};
    tagstruct_put_string(&value, text);
    g_byte_array_append(frame, value.data, (guint)value.length);
    byte_queue_clear(&value);
}

static void put_property(GByteArray *frame, const char *name, const char *text)
{
    struct byte_queue value = {0};
    tagstruct_put_property(&value, name, text);
    g_byte_array_append(frame, value.data, (guint)value.length);
    byte_queue_clear(&value);
}

static void put_raw(GByteArray *frame, const char *bytes, gsize length)
{
    g_byte_array_append(frame, (const guint8 *)bytes, (guint)length);
}
#define PUT(frame, bytes) put_raw(frame, bytes, sizeof bytes - 1)

static void put_numbers(GByteArray *frame, guint count, guint number)
{
    while (count-- > 0)
        put_number(frame, number);
}

#define SAMPLES "a\x03\x02\x00\x00\xac\x44"
#define MAP "m\x02\x01\x02"
#define VOLUMES "v\x02\x00\x01\x00\x00\x00\x01\x00\x00"

/* Passes FRAME on, which is freed. */
static int pass(GByteArray *frame, gboolean from_server)
{
    tagstruct_write_be32(frame->data, frame->len - HEAD);
    g_assert_cmpint(pulse_frame(frame->data, frame->len), ==, frame->len);
    int done = from_server
                   ? pulse_from_server(&filter, frame->data, frame->len, &to_server, &to_program)
                   : pulse_from_program(&filter, frame->data, frame->len, &to_server, &to_program);
    g_byte_array_unref(frame);
    return done;
}

/* Asserts that QUEUE has one packet, COMMAND with TAG; its values are valid until the next call. */
static struct tagstruct take_packet(struct byte_queue *queue, guint command, guint of)
{
    static struct byte_queue taken;
    guint32 its, whose;
    byte_queue_clear(&taken);
    taken = *queue;
    *queue = (struct byte_queue){0};
    g_assert_cmpint(pulse_frame(taken.data, taken.length), ==, (long)taken.length);
    struct tagstruct values = {taken.data + HEAD, taken.data + taken.length};
    g_assert_cmpint(tagstruct_get_u32(&values, &its), ==, 0);
    g_assert_cmpint(tagstruct_get_u32(&values, &whose), ==, 0);
    g_assert_cmpuint(its, ==, command);
    g_assert_cmpuint(whose, ==, of);
    return values;
}

static guint number_of(struct tagstruct *values)
{
    guint32 number;
    g_assert_cmpint(tagstruct_get_u32(values, &number), ==, 0);
    return number;
}

static const char *text_of(struct tagstruct *values)
{
    const char *text;
    g_assert_cmpint(tagstruct_get_string(values, &text), ==, 0);
    return text;
}

/* The text of a property. */
static const char *property_of(struct tagstruct *values, const char *name)
{
    gsize length;
    g_assert_cmpstr(text_of(values), ==, name);
    number_of(values);
    const unsigned char *at = tagstruct_next(values, "x", &length);
    g_assert_nonnull(at);
    return (const char *)at + 5;
}

static void assert_whole(const struct tagstruct *values)
{
    g_assert_true(values->at == values->end);
}

static void assert_refused(GByteArray *frame)
{
    g_assert_cmpint(pass(frame, FALSE), ==, 0);
    g_assert_cmpuint(to_server.length, ==, 0);
    struct tagstruct values = take_packet(&to_program, PULSE_ERROR, tag++);
    g_assert_cmpuint(number_of(&values), ==, ACCESS);
}

static GByteArray *auth(guint version)
{
    guint8 cookie[5 + 256] = {'x', 0, 0, 1, 0};
    memset(cookie + 5, 0xc0, 256);
    GByteArray *frame = packet(PULSE_AUTH, tag);
    put_number(frame, version);
    g_byte_array_append(frame, cookie, sizeof cookie);
    return frame;
}

static void test_auth(void)
{
    gsize length;
    begin(PULSE_PLAYBACK);
    /* The first bits ask for shared memory. */
    g_assert_cmpint(pass(auth(0xc0000023), FALSE), ==, 0);
    struct tagstruct values = take_packet(&to_server, PULSE_AUTH, 0);
    g_assert_cmpuint(number_of(&values), ==, 0x23);
    const unsigned char *cookie = tagstruct_next(&values, "x", &length);
    g_assert_cmpuint(length, ==, 5 + 256);
    for (int i = 0; i < 256; i++)
        g_assert_cmpuint(cookie[5 + i], ==, 0);
    assert_whole(&values);
    GByteArray *reply = packet(PULSE_REPLY, 0);
    put_number(reply, 0xc0000023);
    g_assert_cmpint(pass(reply, TRUE), ==, 0);
    values = take_packet(&to_program, PULSE_REPLY, 0);
    g_assert_cmpuint(number_of(&values), ==, 0x23);
    tag = 1;
    assert_refused(auth(0xc0000023));
    end();
}

static void test_auth_first(void)
{
    begin(PULSE_PLAYBACK);
    g_assert_cmpint(pass(packet(PULSE_GET_SERVER_INFO, 0), FALSE), ==, -1);
    end();
    begin(PULSE_PLAYBACK);
    g_assert_cmpint(pass(auth(12), FALSE), ==, -1);
    end();
}

static void begin_known(unsigned permissions)
{
    begin(permissions);
    g_assert_cmpint(pass(auth(35), FALSE), ==, 0);
    take_packet(&to_server, PULSE_AUTH, tag++);
}

static void test_refused(void)
{
    begin_known(PULSE_PLAYBACK | PULSE_RECORDING);
    /* Everything that is not on the list: exit, modules, other streams, volumes of devices … */
    for (guint command = 0; command < 200; command++) {
        if (pulse_rule_find(command))
            continue;
        GByteArray *frame = packet(command, tag);
        put_number(frame, 1);
        assert_refused(frame);
    }
    end();
    begin_known(PULSE_PLAYBACK);
    assert_refused(packet(PULSE_CREATE_RECORD_STREAM, tag));
    assert_refused(packet(PULSE_GET_SOURCE_INFO, tag));
    g_assert_cmpint(pass(packet(PULSE_GET_SOURCE_INFO_LIST, tag), FALSE), ==, 0);
    struct tagstruct values = take_packet(&to_program, PULSE_REPLY, tag);
    assert_whole(&values);
    g_assert_cmpuint(to_server.length, ==, 0);
    end();
    begin_known(PULSE_RECORDING);
    assert_refused(packet(PULSE_CREATE_PLAYBACK_STREAM, tag));
    end();
}

static void test_tags(void)
{
    begin_known(PULSE_PLAYBACK);
    g_assert_cmpint(pass(packet(PULSE_GET_SERVER_INFO, 7), FALSE), ==, 0);
    /* A reply must belong to one request. */
    g_assert_cmpint(pass(packet(PULSE_GET_SERVER_INFO, 7), FALSE), ==, -1);
    end();
    begin_known(PULSE_PLAYBACK);
    g_assert_cmpint(pass(packet(PULSE_GET_SERVER_INFO, OUR_TAG), FALSE), ==, -1);
    end();
}

static GByteArray *playback(void)
{
    GByteArray *frame = packet(PULSE_CREATE_PLAYBACK_STREAM, tag);
    PUT(frame, SAMPLES MAP);
    put_number(frame, 17);
    put_text(frame, "secret.sink");
    put_number(frame, NONE);
    PUT(frame, "0");
    put_numbers(frame, 4, NONE);
    PUT(frame, VOLUMES "000000000P");
    put_property(frame, "application.name", "Fire<b>fox\xe2\x80\xae");
    put_property(frame, "media.role", "phone");
    put_property(frame, "target.object", "another-program");
    put_property(frame, "media.name", "A song");
    PUT(frame, "N"
               "11"
               "010"
               "1"
               "1"
               "B\x00");
    return frame;
}

static struct tagstruct assert_played(void)
{
    gsize length;
    g_assert_cmpint(pass(playback(), FALSE), ==, 0);
    struct tagstruct values = take_packet(&to_server, PULSE_CREATE_PLAYBACK_STREAM, tag++);
    g_assert_nonnull(tagstruct_next(&values, "a", &length));
    g_assert_nonnull(tagstruct_next(&values, "m", &length));
    g_assert_cmpuint(number_of(&values), ==, NONE);
    g_assert_null(text_of(&values));
    return values;
}

static void test_playback(void)
{
    gsize length;
    begin_known(PULSE_PLAYBACK);
    struct tagstruct values = assert_played();
    number_of(&values);
    g_assert_nonnull(tagstruct_next(&values, "0", &length));
    for (int i = 0; i < 4; i++)
        number_of(&values);
    g_assert_nonnull(tagstruct_next(&values, "v", &length));
    for (int i = 0; i < 9; i++)
        g_assert_nonnull(tagstruct_next(&values, "0", &length));
    g_assert_nonnull(tagstruct_next(&values, "P", &length));
    g_assert_cmpstr(property_of(&values, "application.name"), ==, "shop: Fire?b?fox?");
    g_assert_cmpstr(property_of(&values, "application.id"), ==, "dev.litterbox.shop");
    g_assert_cmpstr(property_of(&values, "media.name"), ==, "A song");
    g_assert_null(text_of(&values));
    g_assert_cmpmem(values.at, 6, "110101", 6);
    /* The program has asked for passthrough. */
    g_assert_cmpmem(values.at + 6, (gsize)(values.end - values.at) - 6, "0B\0", 3);
    end();
}

static GByteArray *volume(guint stream)
{
    GByteArray *frame = packet(PULSE_SET_SINK_INPUT_VOLUME, tag);
    put_number(frame, stream);
    PUT(frame, VOLUMES);
    return frame;
}

static void test_own_streams(void)
{
    begin_known(PULSE_PLAYBACK);
    assert_refused(volume(33));
    assert_played();
    GByteArray *reply = packet(PULSE_REPLY, tag - 1);
    put_number(reply, 4);
    put_number(reply, 33);
    g_assert_cmpint(pass(reply, TRUE), ==, 0);
    take_packet(&to_program, PULSE_REPLY, tag - 1);
    assert_refused(volume(34));
    g_assert_cmpint(pass(volume(33), FALSE), ==, 0);
    struct tagstruct values = take_packet(&to_server, PULSE_SET_SINK_INPUT_VOLUME, tag++);
    g_assert_cmpuint(number_of(&values), ==, 33);
    GByteArray *delete = packet(PULSE_DELETE_PLAYBACK_STREAM, tag);
    put_number(delete, 4);
    g_assert_cmpint(pass(delete, FALSE), ==, 0);
    take_packet(&to_server, PULSE_DELETE_PLAYBACK_STREAM, tag++);
    assert_refused(volume(33));
    end();
}

/* Of a stream that the server has ended nothing is known any more: another may get its number. */
static void test_killed_streams(void)
{
    begin_known(PULSE_PLAYBACK);
    for (guint i = 0; i < 2 * PULSE_STREAMS_MAX; i++) {
        assert_played();
        GByteArray *reply = packet(PULSE_REPLY, tag - 1);
        put_number(reply, 4);
        put_number(reply, 33);
        g_assert_cmpint(pass(reply, TRUE), ==, 0);
        take_packet(&to_program, PULSE_REPLY, tag - 1);
        GByteArray *killed = packet(PULSE_PLAYBACK_STREAM_KILLED, NONE);
        put_number(killed, 4);
        g_assert_cmpint(pass(killed, TRUE), ==, 0);
        take_packet(&to_program, PULSE_PLAYBACK_STREAM_KILLED, NONE);
    }
    assert_refused(volume(33));
    end();
}

static GByteArray *record(void)
{
    GByteArray *frame = packet(PULSE_CREATE_RECORD_STREAM, tag);
    PUT(frame, SAMPLES MAP);
    put_number(frame, NONE);
    put_text(frame, "speaker.monitor");
    put_number(frame, NONE);
    PUT(frame, "0");
    put_number(frame, NONE);
    PUT(frame, "0000000"
               "00P");
    put_property(frame, "stream.capture.sink", "true");
    PUT(frame, "N");
    put_number(frame, 3); /* direct_on_input */
    PUT(frame, "0"
               "00"
               "B\x00" VOLUMES "00000");
    return frame;
}

static GByteArray *device(guint monitor_of)
{
    GByteArray *frame = packet(PULSE_REPLY, OUR_TAG);
    put_number(frame, 5);
    put_text(frame, "mic");
    put_text(frame, "Microphone");
    PUT(frame, SAMPLES MAP);
    put_number(frame, 1);
    PUT(frame, VOLUMES "0");
    put_number(frame, monitor_of);
    put_text(frame, NULL);
    return frame;
}

static void ask_to_record(void)
{
    g_assert_cmpint(pass(record(), FALSE), ==, 0);
    g_assert_true(pulse_is_waiting(&filter));
    struct tagstruct values = take_packet(&to_server, PULSE_GET_SOURCE_INFO, OUR_TAG);
    g_assert_cmpuint(number_of(&values), ==, NONE);
    g_assert_cmpstr(text_of(&values), ==, "@DEFAULT_SOURCE@");
}

static void test_record(void)
{
    gsize length;
    begin_known(PULSE_RECORDING);
    ask_to_record();
    g_assert_cmpint(pass(device(NONE), TRUE), ==, 0);
    g_assert_false(pulse_is_waiting(&filter));
    struct tagstruct values = take_packet(&to_server, PULSE_CREATE_RECORD_STREAM, tag++);
    g_assert_nonnull(tagstruct_next(&values, "a", &length));
    g_assert_nonnull(tagstruct_next(&values, "m", &length));
    g_assert_cmpuint(number_of(&values), ==, 5);
    g_assert_null(text_of(&values));
    number_of(&values);
    g_assert_nonnull(tagstruct_next(&values, "0", &length));
    number_of(&values);
    /* dont_move is set. */
    g_assert_cmpmem(values.at, 9, "000001000", 9);
    values.at += 9;
    g_assert_nonnull(tagstruct_next(&values, "P", &length));
    property_of(&values, "application.name");
    property_of(&values, "application.id");
    g_assert_null(text_of(&values));
    g_assert_cmpuint(number_of(&values), ==, NONE);
    end();
}

static void test_monitor(void)
{
    begin_known(PULSE_RECORDING);
    ask_to_record();
    g_assert_cmpint(pass(device(2), TRUE), ==, 0);
    g_assert_cmpuint(to_server.length, ==, 0);
    take_packet(&to_program, PULSE_ERROR, tag++);
    ask_to_record();
    GByteArray *none = packet(PULSE_ERROR, OUR_TAG);
    put_number(none, 5);
    g_assert_cmpint(pass(none, TRUE), ==, 0);
    take_packet(&to_program, PULSE_ERROR, tag++);
    g_assert_false(pulse_is_waiting(&filter));
    /* A reply without a request. */
    g_assert_cmpint(pass(device(NONE), TRUE), ==, -1);
    end();
}

static GByteArray *samples(guint flags)
{
    guint8 head[HEAD] = {0};
    GByteArray *frame = g_byte_array_new();
    tagstruct_write_be32(head + 16, flags);
    g_byte_array_append(frame, head, HEAD);
    PUT(frame, "noise");
    return frame;
}

static void test_frames(void)
{
    guint8 head[HEAD] = {0, 0, 0, 1};
    g_assert_cmpint(pulse_frame(head, HEAD - 1), ==, 0);
    g_assert_cmpint(pulse_frame(head, HEAD), ==, HEAD + 1);
    for (guint bit = 2; bit < 32; bit++) {
        tagstruct_write_be32(head + 16, 1u << bit); /* flags of shared memory, and unknown ones */
        g_assert_cmpint(pulse_frame(head, HEAD), ==, -1);
    }
    tagstruct_write_be32(head + 16, 0);
    tagstruct_write_be32(head, 0x7fffffff);
    g_assert_cmpint(pulse_frame(head, HEAD), ==, -1);
    begin(PULSE_PLAYBACK);
    g_assert_cmpint(pass(samples(0), FALSE), ==, -1);
    end();
    begin_known(PULSE_PLAYBACK);
    g_assert_cmpint(pass(samples(1), FALSE), ==, 0);
    g_assert_cmpuint(to_server.length, ==, HEAD + 5);
    g_assert_cmpint(pass(samples(0), TRUE), ==, -1);
    end();
}

static void test_server(void)
{
    begin_known(PULSE_PLAYBACK);
    g_assert_cmpint(pass(packet(PULSE_GET_SERVER_INFO, tag), FALSE), ==, 0);
    GByteArray *reply = packet(PULSE_REPLY, tag);
    for (const char *const *text = (const char *const[]){"pulse", "16", "me", "my-host", NULL};
         *text; text++)
        put_text(reply, *text);
    PUT(reply, SAMPLES);
    g_assert_cmpint(pass(reply, TRUE), ==, 0);
    struct tagstruct values = take_packet(&to_program, PULSE_REPLY, tag);
    for (int i = 0; i < 3; i++)
        text_of(&values);
    g_assert_cmpstr(text_of(&values), ==, "shop");
    g_assert_cmpuint(values.end - values.at, ==, 7);
    /* Commands of shared memory are dropped. */
    g_assert_cmpint(pass(packet(101, NONE), TRUE), ==, 0);
    g_assert_cmpint(pass(packet(103, NONE), TRUE), ==, 0);
    g_assert_cmpuint(to_program.length, ==, 0);
    end();
}

static void test_cut_off(void)
{
    GByteArray *whole = playback();
    tagstruct_write_be32(whole->data, whole->len - HEAD);
    for (guint length = HEAD + 1; length < whole->len; length++) {
        begin_known(PULSE_PLAYBACK);
        tagstruct_write_be32(whole->data + HEAD + 6, tag);
        guint8 *copy = g_memdup2(whole->data, length);
        int done = pulse_from_program(&filter, copy, length, &to_server, &to_program);
        /* Older versions of the protocol end after the properties and at some later places. */
        g_assert_true(done == -1 || length >= whole->len - 9);
        g_assert_true(done == 0 || to_server.length == 0);
        g_free(copy);
        end();
    }
    g_byte_array_unref(whole);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/pulse-filter/removes cookie and shared memory from AUTH", test_auth);
    g_test_add_func("/pulse-filter/expects AUTH first", test_auth_first);
    g_test_add_func("/pulse-filter/refuses commands that are not listed or permitted",
                    test_refused);
    g_test_add_func("/pulse-filter/ends when a tag is used twice", test_tags);
    g_test_add_func("/pulse-filter/plays to the default device under the box's name",
                    test_playback);
    g_test_add_func("/pulse-filter/a program changes its own streams only", test_own_streams);
    g_test_add_func("/pulse-filter/streams that the server has ended are no one's",
                    test_killed_streams);
    g_test_add_func("/pulse-filter/records from the default source only", test_record);
    g_test_add_func("/pulse-filter/never records from a monitor", test_monitor);
    g_test_add_func("/pulse-filter/refuses shared memory and long frames", test_frames);
    g_test_add_func("/pulse-filter/hides the host's name", test_server);
    g_test_add_func("/pulse-filter/ends on packets that are cut off", test_cut_off);
    return g_test_run();
}
