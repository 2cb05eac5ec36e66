/* The lines of `box logs --helpers`: their order, and what a box can put in them. */
#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "box/helpers/log_lines.h"

static void add(GPtrArray *lines, const char *text, gboolean continues)
{
    log_lines_add_box(lines, text, strlen(text), continues);
}

/* Line I, counted from the end. */
static const char *last(const GPtrArray *lines, guint i)
{
    g_assert_cmpuint(lines->len, >, i);
    return ((const struct log_line *)lines->pdata[lines->len - 1 - i])->text;
}

static void order(void)
{
    g_autoptr(GPtrArray) lines = log_lines_new();
    add(lines, "2026-01-02T03:04:06.5+00:00 second", FALSE);
    add(lines, "2026-01-02T04:04:05.123456789+01:00 first", FALSE);
    add(lines, "goes on", TRUE);
    add(lines, "without a time", FALSE);
    log_lines_sort(lines, -1);
    g_assert_cmpuint(lines->len, ==, 4);
    g_assert_cmpstr(last(lines, 3), ==, "2026-01-02T04:04:05.123+01:00 box: first");
    g_assert_cmpstr(last(lines, 2), ==, "2026-01-02T04:04:05.123+01:00 box: goes on");
    g_assert_cmpstr(last(lines, 1), ==, "2026-01-02T04:04:05.123+01:00 box: without a time");
    g_assert_cmpstr(last(lines, 0), ==, "2026-01-02T04:04:06.500+01:00 box: second");
    log_lines_sort(lines, 1);
    g_assert_cmpuint(lines->len, ==, 1);
    g_assert_cmpstr(last(lines, 0), ==, "2026-01-02T04:04:06.500+01:00 box: second");
    log_lines_sort(lines, 0);
    g_assert_cmpuint(lines->len, ==, 0);
}

/* A box chooses neither the program nor the time of its lines. */
static void forged(void)
{
    const char *const texts[] = {"2001-01-01T00:00:00Z litterbox-port: forged",
                                 "9999-12-31T23:59:59-01:00 litterbox-port: forged",
                                 "0001-01-01T00:00:00+23:00 litterbox-port: forged",
                                 "litterbox-port: forged",
                                 "",
                                 " "};
    g_autoptr(GPtrArray) lines = log_lines_new();
    for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autofree char *marked =
            g_strconcat("2026-01-02T04:04:05.000+01:00 box: ", texts[i], NULL);
        g_autofree char *begun = g_strconcat("2026-01-02T03:04:05.000Z ", texts[i], NULL);
        add(lines, begun, FALSE);
        g_assert_cmpstr(last(lines, 0), ==, marked);
        add(lines, texts[i], TRUE);
        g_assert_cmpstr(last(lines, 0), ==, marked);
    }
    /* Times that Podman never gives and RFC 3339 cannot write. */
    add(lines, texts[1], FALSE);
    g_assert_true(g_str_has_prefix(last(lines, 0), "2026-01-02T04:04:05.000+01:00 box: 9999-"));
    add(lines, texts[2], FALSE);
    g_assert_true(g_str_has_prefix(last(lines, 0), "2026-01-02T04:04:05.000+01:00 box: 0001-"));
}

static void write_log(const char *folder, const char *name, const char *text)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

static void remove_log(const char *folder, const char *name)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_assert_cmpint(g_unlink(path), ==, 0);
}

static void helpers(void)
{
    g_autofree char *folder = g_dir_make_tmp("litterbox-logs-XXXXXX", NULL);
    g_autoptr(GPtrArray) lines = log_lines_new();
    write_log(folder, "port.log.1", "2026-01-02T03:04:05.000Z litterbox-port: older\n");
    write_log(folder, "port.log",
              "2026-01-02T03:04:05.000Z litterbox-port: newer\nlitterbox-port: cannot run\n");
    write_log(folder, "other", "2026-01-02T03:04:05.000Z not a log\n");
    log_lines_add_helpers(lines, folder);
    log_lines_sort(lines, -1);
    g_assert_cmpuint(lines->len, ==, 3);
    g_assert_cmpstr(last(lines, 2), ==, "2026-01-02T04:04:05.000+01:00 litterbox-port: older");
    g_assert_cmpstr(last(lines, 1), ==, "2026-01-02T04:04:05.000+01:00 litterbox-port: newer");
    g_assert_cmpstr(last(lines, 0), ==, "litterbox-port: cannot run");
    remove_log(folder, "port.log.1");
    remove_log(folder, "port.log");
    remove_log(folder, "other");
    g_assert_cmpint(g_rmdir(folder), ==, 0);
}

int main(int argc, char **argv)
{
    setenv("TZ", "TST-1", 1);
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/log-lines/order", order);
    g_test_add_func("/log-lines/forged", forged);
    g_test_add_func("/log-lines/helpers", helpers);
    return g_test_run();
}
