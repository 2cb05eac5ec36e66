/* Notices: the names of their sockets, and what of their text is shown. */
#include <glib.h>
#include <string.h>

#include "box/session/notice_listener.h"
#include "proto/session_notice.h"

static void names(void)
{
    static const char *const wrong[] = {
        "",     ".",     "1",    "1.",   "x.1",           "1.x",           "-2.1", "1.0",
        "1.-1", "1.1.1", "1.1 ", "1 .1", "99999999999.1", "1.99999999999", "1,1"};
    int terminal = 0;
    g_autofree char *with = notice_name(7, 4321), *without = notice_name(NOTICE_NO_TERMINAL, 1);
    g_assert_true(notice_name_parse(with, &terminal));
    g_assert_cmpint(terminal, ==, 7);
    g_assert_true(notice_name_parse(without, &terminal));
    g_assert_cmpint(terminal, ==, NOTICE_NO_TERMINAL);
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++)
        g_assert_false(notice_name_parse(wrong[i], &terminal));
}

static void assert_lines(const char *text, const char *expected)
{
    g_autofree char *lines = notice_lines(text, strlen(text));
    g_assert_cmpstr(lines, ==, expected);
}

static void lines_are_harmless(void)
{
    assert_lines("one\ntwo", "box: one\nbox: two\n");
    assert_lines("\n\n", "");
    assert_lines("a\033[2Jb\r\nc", "box: a\\x1b[2Jb\\x0d\nbox: c\n");
    /* Further lines belong to the last one. */
    assert_lines("1\n2\n3\n4\n5", "box: 1\nbox: 2\nbox: 3\nbox: 4\\n5\n");
    g_autofree char *text = g_strnfill(NOTICE_MAX, 'x'), *shown = notice_lines(text, NOTICE_MAX);
    g_assert_cmpuint(strlen(shown), <, 300);
}

/* What is not terminated, or has a NUL, is read no further. */
static void bytes_end(void)
{
    const char bytes[] = {'a', 'b', '\0', 'c'};
    g_autofree char *two = notice_lines(bytes, 1), *nul = notice_lines(bytes, sizeof bytes);
    g_assert_cmpstr(two, ==, "box: a\n");
    g_assert_cmpstr(nul, ==, "box: ab\n");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/session-notice/names", names);
    g_test_add_func("/session-notice/lines", lines_are_harmless);
    g_test_add_func("/session-notice/bytes", bytes_end);
    return g_test_run();
}
