/* The list of `box device add`: what is read back, and what is none of ours. */
#include "config/devices.h"

#include <string.h>

static GPtrArray *parse(const char *text, GError **error)
{
    return devices_parse(text, strlen(text), "/data/devices", error);
}

static void lines_are_devices(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) none = parse("", &error);
    g_autoptr(GPtrArray) list = parse("/dev/serial/by-path/pci-0:1.0\t/dev/ttyUSB0\n"
                                      "/dev/v4l/a b\\x20c\t/dev/video0\n",
                                      &error);
    g_assert_no_error(error);
    g_assert_cmpuint(none->len, ==, 0);
    g_assert_cmpuint(list->len, ==, 2);
    const settings_device *first = list->pdata[0], *second = list->pdata[1];
    g_assert_cmpstr(first->source, ==, "/dev/serial/by-path/pci-0:1.0");
    g_assert_cmpstr(first->target, ==, "/dev/ttyUSB0");
    g_assert_cmpstr(second->source, ==, "/dev/v4l/a b\\x20c");
}

static void anything_else_is_an_error(void)
{
    static const char *const rows[] = {
        "/dev/a",
        "/dev/a\t",
        "\t/dev/a",
        "/dev/a\t/dev/b\t/dev/c",
        "/dev/a\t/etc/passwd",
        "/etc/passwd\t/dev/a",
        "/dev/../etc\t/dev/a",
        "/dev//a\t/dev/a",
        "/dev/\t/dev/a",
        "/dev/a\t/dev/b:rwm",
        "/dev/a\t/dev/b\r",
        "/dev/a\033[31m\t/dev/b",
        "/dev/a\xff\t/dev/b",
        "vendor.com/gpu=all\t/dev/b",
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *text = g_strconcat("/dev/ok\t/dev/ok\n", rows[i], "\n", NULL);
        g_assert_null(parse(text, &error));
        g_assert_error(error, BOX_ERROR, BOX_ERROR_CONFIG);
        g_assert_true(g_str_has_prefix(error->message, "/data/devices:2: "));
    }
}

static void nothing_hides_behind_a_nul(void)
{
    static const char text[] = "/dev/a\t/dev/a\n\0/dev/b\t/dev/b\n";
    g_autoptr(GError) error = NULL;
    g_assert_null(devices_parse(text, sizeof text - 1, "/data/devices", &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_CONFIG);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/config-devices/lines", lines_are_devices);
    g_test_add_func("/config-devices/else", anything_else_is_an_error);
    g_test_add_func("/config-devices/nul", nothing_hides_behind_a_nul);
    return g_test_run();
}
