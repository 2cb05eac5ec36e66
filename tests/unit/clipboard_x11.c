/* Parses messages of an X server that lies about their sizes. */
#include "host/bridge/clipboard/x11_connection.h"

#include <glib.h>
#include <string.h>

static void put(unsigned char *at, guint32 word)
{
    memcpy(at, &word, sizeof word);
}

static void put_half(unsigned char *at, guint16 half)
{
    memcpy(at, &half, sizeof half);
}

/* A setup reply with a vendor of 3 bytes, one format, one screen. */
static size_t put_setup(unsigned char *data)
{
    size_t size = 40 + 4 + 8 + 40;
    memset(data, 0, size);
    data[0] = 1;
    put_half(data + 6, (guint16)((size - 8) / 4));
    put(data + 12, 0x400000);
    put_half(data + 24, 3);
    put_half(data + 26, 0xffff);
    data[28] = data[29] = 1;
    put(data + 52, 0x55);
    return size;
}

static void test_setup(void)
{
    unsigned char data[256];
    struct x11_setup setup;
    size_t size = put_setup(data);
    for (size_t i = 0; i < size; i++)
        g_assert_cmpint(x11_setup_size(data, i), ==, 0);
    g_assert_cmpint(x11_setup_size(data, size), ==, (long)size);
    g_assert_cmpint(x11_setup_parse(data, size, &setup), ==, 0);
    g_assert_cmphex(setup.id, ==, 0x400000);
    g_assert_cmphex(setup.root, ==, 0x55);
    g_assert_cmpuint(setup.request_size, ==, 0xffff * 4);
    put_half(data + 24, 0xffff); /* the vendor's name is longer than the answer */
    g_assert_cmpint(x11_setup_parse(data, size, &setup), ==, -1);
    put_setup(data);
    data[29] = 255;
    g_assert_cmpint(x11_setup_parse(data, size, &setup), ==, -1);
    put_setup(data);
    data[28] = 0; /* no screen */
    g_assert_cmpint(x11_setup_parse(data, size, &setup), ==, -1);
    put_setup(data);
    put_half(data + 26, 10); /* no room for any request */
    g_assert_cmpint(x11_setup_parse(data, size, &setup), ==, -1);
    put_setup(data);
    data[0] = 0; /* refused */
    g_assert_cmpint(x11_setup_parse(data, size, &setup), ==, -1);
    put_half(data + 6, 0xffff);
    g_assert_cmpint(x11_setup_size(data, size), ==, -1);
}

static void test_size(void)
{
    unsigned char data[64] = {X11_REPLY};
    g_assert_cmpint(x11_message_size(data, 31), ==, 0);
    g_assert_cmpint(x11_message_size(data, 32), ==, 32);
    put(data + 4, 2);
    g_assert_cmpint(x11_message_size(data, 39), ==, 0);
    g_assert_cmpint(x11_message_size(data, 40), ==, 40);
    put(data + 4, G_MAXUINT32);
    g_assert_cmpint(x11_message_size(data, 64), ==, -1);
    data[0] = X11_GENERIC_EVENT | 0x80;
    g_assert_cmpint(x11_message_size(data, 64), ==, -1);
    data[0] = X11_SELECTION_NOTIFY;
    g_assert_cmpint(x11_message_size(data, 64), ==, 32);
}

static int property_of(unsigned char bits, guint32 items, size_t length)
{
    unsigned char data[64] = {X11_REPLY, bits};
    struct x11_property property;
    put(data + 16, items);
    int done = x11_property_parse(data, length, &property);
    if (done == 0)
        g_assert_cmpuint(property.length + 32, <=, length);
    return done;
}

static void test_property(void)
{
    g_assert_cmpint(property_of(8, 32, 64), ==, 0);
    g_assert_cmpint(property_of(8, 33, 64), ==, -1);
    g_assert_cmpint(property_of(32, 8, 64), ==, 0);
    g_assert_cmpint(property_of(32, 9, 64), ==, -1);
    g_assert_cmpint(property_of(32, 0x40000000, 64), ==, -1);
    g_assert_cmpint(property_of(16, G_MAXUINT32, 64), ==, -1);
    g_assert_cmpint(property_of(7, 1, 64), ==, -1);
    g_assert_cmpint(property_of(0, 99, 32), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/clipboard-x11/refuses malformed setups", test_setup);
    g_test_add_func("/clipboard-x11/limits the size of messages", test_size);
    g_test_add_func("/clipboard-x11/a property ends within its message", test_property);
    return g_test_run();
}
