/* The portal's D-Bus messages, compared with GLib's implementation. */
#include <gio/gio.h>
#include <string.h>

#include "guest/portal/dbus.h"
#include "guest/portal/portal.h"

static const char *const bodies[] = {
    "('', 'https://example.com/', {'handle_token': <'t1'>, 'ask': <true>})",
    "('app', uint32 7, 'icon', 'title', 'body', ['a', 'b'], {'x': <(1, 2, byte 3)>}, -1)",
    "({'image-data': <(1, 1, 3, true, 8, 3, [byte 1, 2, 3])>},)",
    "(@as [],)",
    "(['a', 'bb', 'ccc'],)",
    "(@a{sa{sv}} {'a': {'b': <uint32 1>}},)",
    "(byte 1, int64 2, byte 3, 1.5, byte 4, int16 5, byte 6, @o '/a/b', @g 'a{sv}', <<<'x'>>>)",
    "(@a(yt) [(1, 2), (3, 4)], @ax [], @a{yv} {1: <@ad [1.0]>})",
    "(@aaas [[['a'], []], []],)",
};

static GDBusMessage *make_call(const char *body)
{
    GDBusMessage *self = g_dbus_message_new_method_call("org.example.Name", "/org/example/path",
                                                        "org.example.Face", "Member");
    g_dbus_message_set_sender(self, ":1.42");
    g_dbus_message_set_serial(self, 77);
    if (body)
        g_dbus_message_set_body(self, g_variant_new_parsed(body));
    return self;
}

static guchar *blob_of(GDBusMessage *call, GDBusMessageByteOrder order, gsize *length)
{
    g_autoptr(GError) error = NULL;
    g_dbus_message_set_byte_order(call, order);
    guchar *blob = g_dbus_message_to_blob(call, length, G_DBUS_CAPABILITY_FLAGS_NONE, &error);
    g_assert_no_error(error);
    return blob;
}

static void assert_skips(const struct dbus_message *self)
{
    struct dbus_reader in = self->body;
    const char *type = self->signature;
    for (; *type; type = dbus_type_end(type)) {
        g_assert_nonnull(dbus_type_end(type));
        dbus_skip(&in, type);
    }
    g_assert_false(in.wrong);
    g_assert_cmpuint(in.at, ==, in.length);
}

/* A message that is cut anywhere is invalid. */
static void assert_parts_are_refused(const guchar *blob, gsize length)
{
    struct dbus_message self;
    for (gsize part = 0; part < length; part++) {
        g_autofree guchar *copy = g_memdup2(blob, part);
        g_assert_cmpint(dbus_message_parse(&self, copy, part), ==, -1);
    }
}

static void messages_of_glib_are_read(void)
{
    static const GDBusMessageByteOrder orders[] = {G_DBUS_MESSAGE_BYTE_ORDER_LITTLE_ENDIAN,
                                                   G_DBUS_MESSAGE_BYTE_ORDER_BIG_ENDIAN};
    for (gsize i = 0; i < G_N_ELEMENTS(bodies) * 2; i++) {
        g_autoptr(GDBusMessage) call = make_call(bodies[i / 2]);
        gsize length;
        g_autofree guchar *blob = blob_of(call, orders[i % 2], &length);
        struct dbus_message self;
        g_assert_cmpuint(dbus_message_length(blob), ==, length);
        g_assert_cmpint(dbus_message_parse(&self, blob, length), ==, 0);
        g_assert_cmpint(self.type, ==, DBUS_MESSAGE_CALL);
        g_assert_cmpuint(self.serial, ==, 77);
        g_assert_cmpstr(self.path, ==, "/org/example/path");
        g_assert_cmpstr(self.interface, ==, "org.example.Face");
        g_assert_cmpstr(self.member, ==, "Member");
        g_assert_cmpstr(self.destination, ==, "org.example.Name");
        g_assert_cmpstr(self.sender, ==, ":1.42");
        g_assert_cmpstr(self.signature, ==, g_dbus_message_get_signature(call));
        assert_skips(&self);
        assert_parts_are_refused(blob, length);
    }
}

static void options_are_found(void)
{
    g_autoptr(GDBusMessage) call = make_call(
        "({'title': <'t'>, 'icon': <('a', <@as ['b']>)>, 'number': <1>, 'body': <'b'>},)");
    struct dbus_option options[] = {
        {"title", ""}, {"body", ""}, {"number", "none"}, {"no", "none"}};
    struct dbus_message self;
    gsize length;
    g_autofree guchar *blob = blob_of(call, G_DBUS_MESSAGE_BYTE_ORDER_BIG_ENDIAN, &length);
    g_assert_cmpint(dbus_message_parse(&self, blob, length), ==, 0);
    dbus_read_options(&self.body, options, G_N_ELEMENTS(options));
    g_assert_false(self.body.wrong);
    g_assert_cmpstr(options[0].value, ==, "t");
    g_assert_cmpstr(options[1].value, ==, "b");
    g_assert_cmpstr(options[2].value, ==, "none");
    g_assert_cmpstr(options[3].value, ==, "none");
}

static void glib_reads_what_is_written(void)
{
    static struct dbus_writer out;
    g_autoptr(GError) error = NULL;
    dbus_message_begin(&out, &(struct dbus_message_head){.type = DBUS_MESSAGE_SIGNAL,
                                                         .serial = 5,
                                                         .path = "/a",
                                                         .interface = "b.c",
                                                         .member = "D",
                                                         .destination = ":1.2",
                                                         .signature = "ua{sa{sv}}y"});
    dbus_write_u32(&out, 9);
    size_t outer = dbus_begin_array(&out, '{');
    dbus_write_struct(&out);
    dbus_write_string(&out, "space");
    size_t inner = dbus_begin_array(&out, '{');
    dbus_write_struct(&out);
    dbus_write_string(&out, "key");
    dbus_write_signature(&out, "u");
    dbus_write_u32(&out, 3);
    dbus_end_array(&out, inner, '{');
    dbus_end_array(&out, outer, '{');
    dbus_write_byte(&out, 4);
    g_assert_cmpint(dbus_message_end(&out), ==, 0);
    g_autoptr(GDBusMessage) read =
        g_dbus_message_new_from_blob(out.data, out.length, G_DBUS_CAPABILITY_FLAGS_NONE, &error);
    g_assert_no_error(error);
    g_assert_cmpint(g_dbus_message_get_message_type(read), ==, G_DBUS_MESSAGE_TYPE_SIGNAL);
    g_autofree char *body = g_variant_print(g_dbus_message_get_body(read), TRUE);
    g_assert_cmpstr(body, ==, "(uint32 9, {'space': {'key': <uint32 3>}}, byte 0x04)");
    g_assert_cmpstr(g_dbus_message_get_member(read), ==, "D");
    g_assert_cmpuint(g_dbus_message_get_serial(read), ==, 5);
}

static void glib_reads_errors(void)
{
    static struct dbus_writer out;
    g_autoptr(GError) error = NULL;
    dbus_message_begin(&out, &(struct dbus_message_head){.type = DBUS_MESSAGE_ERROR,
                                                         .serial = 1,
                                                         .reply_to = 12,
                                                         .error = "a.B",
                                                         .destination = ":1.2",
                                                         .signature = "s"});
    dbus_write_string(&out, "why");
    g_assert_cmpint(dbus_message_end(&out), ==, 0);
    g_autoptr(GDBusMessage) read =
        g_dbus_message_new_from_blob(out.data, out.length, G_DBUS_CAPABILITY_FLAGS_NONE, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(g_dbus_message_get_reply_serial(read), ==, 12);
    g_assert_cmpstr(g_dbus_message_get_error_name(read), ==, "a.B");
}

static void too_long_message_fails(void)
{
    static struct dbus_writer out;
    g_autofree char *large = g_strnfill(DBUS_WRITER_MAX, 'a');
    dbus_message_begin(
        &out, &(struct dbus_message_head){.type = DBUS_MESSAGE_RETURN, .serial = 1, .reply_to = 1});
    size_t list = dbus_begin_array(&out, 's');
    dbus_write_string(&out, large);
    dbus_write_string(&out, "after");
    dbus_write_struct(&out);
    dbus_end_array(&out, list, 's');
    g_assert_cmpint(dbus_message_end(&out), ==, -1);
    g_assert_cmpuint(out.length, <=, DBUS_WRITER_MAX);
}

static void invalid_types_are_refused(void)
{
    static const char *const wrong[] = {"",     "a", "(", "()", "(s", "a{",
                                        "a{sv", "z", ")", "}",  "(z)"};
    g_assert_cmpstr(dbus_type_end("a{s(iv)}u"), ==, "u");
    g_assert_cmpstr(dbus_type_end("su"), ==, "u");
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++)
        g_assert_null(dbus_type_end(wrong[i]));
    g_autofree char *deep = g_strnfill(DBUS_SIGNATURE_MAX, 'a');
    g_assert_null(dbus_type_end(deep));
    memset(deep, '(', DBUS_SIGNATURE_MAX);
    g_assert_null(dbus_type_end(deep));
}

/* Nested variants must not exhaust the stack. */
static void depth_is_limited(void)
{
    uint8_t data[1024];
    for (gsize i = 0; i + 3 <= sizeof data; i += 3)
        memcpy(data + i, "\1v", 3);
    struct dbus_reader in = {.data = data, .length = sizeof data};
    dbus_skip(&in, "v");
    g_assert_true(in.wrong);
}

static void hostile_messages_stay_in_bounds(void)
{
    g_autoptr(GDBusMessage) call = make_call(bodies[1]);
    gsize length;
    g_autofree guchar *blob = blob_of(call, G_DBUS_MESSAGE_BYTE_ORDER_LITTLE_ENDIAN, &length);
    struct dbus_message self;
    /* Body, then header fields, longer than allowed. */
    for (int at = 4; at <= 12; at += 8) {
        g_autofree guchar *copy = g_memdup2(blob, length);
        memset(copy + at, 0xff, 4);
        g_assert_cmpuint(dbus_message_length(copy), ==, 0);
    }
    /* With any byte changed, nothing is read beyond the end (the sanitizer would notice). */
    for (gsize at = 0; at < length; at++)
        for (int value = 0; value < 256; value += 5) {
            g_autofree guchar *copy = g_memdup2(blob, length);
            copy[at] = (guchar)value;
            if (dbus_message_parse(&self, copy, length) < 0)
                continue;
            struct dbus_option option = {"x", NULL};
            struct dbus_reader in = self.body;
            dbus_read_options(&in, &option, 1);
            for (const char *type = self.signature; type && *type; type = dbus_type_end(type))
                dbus_skip(&self.body, type);
        }
}

static void gtk_preference_is_read(void)
{
#define KEY "gtk-application-prefer-dark-theme"
    g_assert_cmpint(settings_prefer_dark(""), ==, -1);
    g_assert_cmpint(settings_prefer_dark("[Settings]\ngtk-theme-name=x"), ==, -1);
    g_assert_cmpint(settings_prefer_dark("# " KEY "=1\n" KEY "-x=1\n" KEY "\n"), ==, -1);
    g_assert_cmpint(settings_prefer_dark("[Settings]\n" KEY "=1\n"), ==, 1);
    g_assert_cmpint(settings_prefer_dark("\n\n  " KEY " = true"), ==, 1);
    g_assert_cmpint(settings_prefer_dark(KEY "=true\n" KEY "=false\n"), ==, 0);
    g_assert_cmpint(settings_prefer_dark(KEY "="), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/portal-dbus/reads", messages_of_glib_are_read);
    g_test_add_func("/portal-dbus/options", options_are_found);
    g_test_add_func("/portal-dbus/writes", glib_reads_what_is_written);
    g_test_add_func("/portal-dbus/answers", glib_reads_errors);
    g_test_add_func("/portal-dbus/too-much", too_long_message_fails);
    g_test_add_func("/portal-dbus/types", invalid_types_are_refused);
    g_test_add_func("/portal-dbus/depth", depth_is_limited);
    g_test_add_func("/portal-dbus/hostile", hostile_messages_stay_in_bounds);
    g_test_add_func("/portal-dbus/scheme", gtk_preference_is_read);
    return g_test_run();
}
