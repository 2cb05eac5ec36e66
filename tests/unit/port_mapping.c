/* Port mappings as text, and the file that lists them. */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "proto/port_mapping.h"

static void check(const char *text, const char *expected)
{
    g_autoptr(port_mapping) one = port_mapping_parse(text);
    g_autofree char *again = one ? port_mapping_text(one) : NULL;
    g_assert_cmpstr(again, ==, expected);
}

static void mappings_are_parsed(void)
{
    check("3000", "127.0.0.1:3000:3000");
    check("8080:80", "127.0.0.1:8080:80");
    check("0.0.0.0:8080:80", "0.0.0.0:8080:80");
    check("[::1]:8080:80", "[::1]:8080:80");
    check("[0:0:0:0:0:0:0:1]:1:65535", "[::1]:1:65535");
    check("53/udp", "127.0.0.1:53:53/udp");
    check("53/tcp", "127.0.0.1:53:53");
}

static void invalid_text_is_refused(void)
{
    static const char *const wrong[] = {"",
                                        "0",
                                        "65536",
                                        "-1",
                                        "+1",
                                        " 1",
                                        "1 ",
                                        "1:",
                                        ":1",
                                        "1:2:3",
                                        "a",
                                        "0x50",
                                        "::1:1:1",
                                        "[::1:1:1",
                                        "[]:1:1",
                                        "1/sctp",
                                        "1\n2",
                                        "127.1:1:1",
                                        "localhost:1:1",
                                        "[1.2.3.4]:1:1"};
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++)
        check(wrong[i], NULL);
}

static gboolean local(const char *text)
{
    g_autoptr(port_mapping) one = port_mapping_parse(text);
    return port_mapping_is_local(one);
}

static void only_loopback_is_local(void)
{
    g_assert_true(local("1"));
    g_assert_true(local("127.9.9.9:1:1"));
    g_assert_true(local("[::1]:1:1"));
    g_assert_false(local("0.0.0.0:1:1"));
    g_assert_false(local("[::]:1:1"));
    g_assert_false(local("12.7.0.1:1:1"));
    g_assert_false(local("[::ffff:127.0.0.1]:1:1"));
}

static GPtrArray *list_of(const char *folder, const char *text)
{
    g_autofree char *path = g_build_filename(folder, PORT_LIST, NULL);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    return port_list_read(folder);
}

static void list_survives_the_round_trip(void)
{
    g_autofree char *folder = g_dir_make_tmp(NULL, NULL);
    g_autofree char *path = g_build_filename(folder, PORT_LIST, NULL);
    g_autoptr(GPtrArray) none = port_list_read(folder);
    g_assert_cmpuint(none->len, ==, 0);
    /* Skips an invalid line, UDP, and a port that an earlier line uses. */
    g_autoptr(GPtrArray) some =
        list_of(folder, "127.0.0.1:1:2\nnonsense\n127.0.0.1:1:3\n5/udp\n\n0.0.0.0:1:2");
    g_assert_cmpuint(some->len, ==, 2);
    g_assert_true(port_list_write(folder, some, NULL));
    g_autoptr(GPtrArray) again = port_list_read(folder);
    g_assert_cmpuint(again->len, ==, 2);
    guint at = 9;
    g_assert_nonnull(port_list_find(again, some->pdata[1], &at));
    g_assert_cmpuint(at, ==, 1);
    /* An empty list has no file. */
    g_assert_true(port_list_write(folder, none, NULL));
    g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
    g_rmdir(folder);
}

static void long_list_is_cut(void)
{
    g_autofree char *folder = g_dir_make_tmp(NULL, NULL);
    g_autofree char *path = g_build_filename(folder, PORT_LIST, NULL);
    g_autoptr(GString) text = g_string_new(NULL);
    for (int i = 1; i <= 100; i++)
        g_string_append_printf(text, "%d\n", i);
    g_autoptr(GPtrArray) most = list_of(folder, text->str);
    g_assert_cmpuint(most->len, ==, PORT_FORWARDS_MAX);
    g_autofree char *huge = g_strnfill(1 << 20, '1');
    g_autoptr(GPtrArray) nothing = list_of(folder, huge);
    g_assert_cmpuint(nothing->len, ==, 0);
    g_unlink(path);
    g_rmdir(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/port-mapping/parsed", mappings_are_parsed);
    g_test_add_func("/port-mapping/refused", invalid_text_is_refused);
    g_test_add_func("/port-mapping/local", only_loopback_is_local);
    g_test_add_func("/port-mapping/list", list_survives_the_round_trip);
    g_test_add_func("/port-mapping/long-list", long_list_is_cut);
    return g_test_run();
}
