/* Sizes, durations and times. */
#include "common/units.h"

#include <stdlib.h>
#include <time.h>

static void test_size(void)
{
    static const struct {
        const char *text;
        gint64 bytes;
    } good[] = {
        {"0", 0},
        {"1024", 1024},
        {"12b", 12},
        {"1k", 1024},
        {"512M", 512 << 20},
        {"512m", 512 << 20},
        {"4GiB", (gint64)4 << 30},
        {"2GB", (gint64)2 << 30},
        {"3Ti", (gint64)3 << 40},
        {"9223372036854775807", G_MAXINT64},
    };
    static const char *const bad[] = {"",
                                      "-1",
                                      "+1",
                                      "1.5G",
                                      " 1",
                                      "1 ",
                                      "M",
                                      "1MM",
                                      "1iB",
                                      "1e3",
                                      "9223372036854775808",
                                      "9007199254740992k",
                                      "8388608T",
                                      "0x10",
                                      "1P",
                                      "1KiBx"};
    gint64 bytes;
    for (gsize i = 0; i < G_N_ELEMENTS(good); i++) {
        g_assert_true(units_parse_size(good[i].text, &bytes));
        g_assert_cmpint(bytes, ==, good[i].bytes);
    }
    for (gsize i = 0; i < G_N_ELEMENTS(bad); i++)
        g_assert_false(units_parse_size(bad[i], &bytes));
    g_assert_false(units_parse_size(NULL, &bytes));
}

static void test_duration(void)
{
    static const struct {
        const char *text;
        gint64 seconds;
    } good[] = {{"0", 0}, {"90", 90}, {"90s", 90}, {"10m", 600}, {"2h", 7200}, {"1d", 86400}};
    static const char *const bad[] = {
        "", "-1", "1w", "10 m", "m", "1m30s", "1.5h", "9223372036854775807d", "10M"};
    gint64 seconds;
    for (gsize i = 0; i < G_N_ELEMENTS(good); i++) {
        g_assert_true(units_parse_duration(good[i].text, &seconds));
        g_assert_cmpint(seconds, ==, good[i].seconds);
    }
    for (gsize i = 0; i < G_N_ELEMENTS(bad); i++)
        g_assert_false(units_parse_duration(bad[i], &seconds));
}

static void test_format_size(void)
{
    static const struct {
        gint64 bytes;
        const char *text;
    } cases[] = {{0, "0 B"},
                 {1023, "1023 B"},
                 {1024, "1 KiB"},
                 {1536, "1.5 KiB"},
                 {1 << 20, "1 MiB"},
                 {(1 << 20) - 1, "1 MiB"},
                 {(gint64)3 << 29, "1.5 GiB"},
                 {G_MAXINT64, "8 EiB"}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = units_format_size(cases[i].bytes);
        g_assert_cmpstr(text, ==, cases[i].text);
    }
}

static void exact_forms_are_read_back(void)
{
    static const gint64 numbers[] = {
        0,         1,    59,   60,    90,      600,     1023,
        1024,      3600, 5400, 86400, 1 << 20, 3 << 20, (gint64)5 << 40,
        G_MAXINT64};
    for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++) {
        gint64 again = -1;
        g_autofree char *size = units_exact_size(numbers[i]);
        g_autofree char *duration = units_exact_duration(numbers[i]);
        g_assert_true(units_parse_size(size, &again));
        g_assert_cmpint(again, ==, numbers[i]);
        g_assert_true(units_parse_duration(duration, &again));
        g_assert_cmpint(again, ==, numbers[i]);
    }
    g_autofree char *size = units_exact_size((gint64)1536 << 20);
    g_autofree char *duration = units_exact_duration(5400);
    g_assert_cmpstr(size, ==, "1536M");
    g_assert_cmpstr(duration, ==, "90m");
}

static void durations_have_two_units_at_most(void)
{
    static const struct {
        gint64 seconds;
        const char *text;
    } cases[] = {
        {0, "0 s"},          {59, "59 s"},          {60, "1 min"},      {3599, "59 min"},
        {3600, "1 h 0 min"}, {12000, "3 h 20 min"}, {86400, "1 d 0 h"}, {187200 + 59, "2 d 4 h"}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = units_format_duration(cases[i].seconds);
        g_assert_cmpstr(text, ==, cases[i].text);
    }
}

static void times_have_a_zone(void)
{
    g_autofree char *start = units_rfc3339(0);
    g_autofree char *later = units_rfc3339(1740830405);
    g_autofree char *local = units_format_time(1740830405);
    g_assert_cmpstr(start, ==, "1970-01-01T00:00:00Z");
    g_assert_cmpstr(later, ==, "2025-03-01T12:00:05Z");
    g_assert_cmpstr(local, ==, "2025-03-01 13:00:05 TST");
    g_assert_null(units_rfc3339(G_MAXINT64));
}

int main(int argc, char **argv)
{
    setenv("TZ", "TST-1", 1);
    tzset();
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/units/size", test_size);
    g_test_add_func("/units/duration", test_duration);
    g_test_add_func("/units/format-size", test_format_size);
    g_test_add_func("/units/exact", exact_forms_are_read_back);
    g_test_add_func("/units/format-duration", durations_have_two_units_at_most);
    g_test_add_func("/units/times", times_have_a_zone);
    return g_test_run();
}
