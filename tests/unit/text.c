#include "common/text.h"

#include <string.h>

static void assert_safe(const char *in, gssize length, const char *expected)
{
    g_autofree char *out = text_safe(in, length);
    g_assert_cmpstr(out, ==, expected);
}

static void test_safe_examples(void)
{
    assert_safe(NULL, -1, "");
    assert_safe("", -1, "");
    assert_safe("plain text, naïve café, 日本語, שלום", -1, "plain text, naïve café, 日本語, שלום");
    assert_safe("a\nb\tc\rd", -1, "a\\nb\\tc\\x0dd");
    assert_safe("a\0b", 3, "a\\x00b");
    assert_safe("\033[2J\x7f", -1, "\\x1b[2J\\x7f");
    assert_safe("\xc2\x9b"
                "2J",
                -1, "\\u{009b}2J");
    assert_safe("bad \xff\xc3", -1, "bad \\xff\\xc3");
    assert_safe("\xed\xa0\x80", -1, "\\xed\\xa0\\x80"); /* a surrogate */
    assert_safe("\xc0\xaf", -1, "\\xc0\\xaf");          /* over-long "/" */
    assert_safe("safe\xe2\x80\xae"
                "txt.exe",
                -1, "safe\\u{202e}txt.exe");                               /* bidi override */
    assert_safe("a\xe2\x81\xa6z", -1, "a\\u{2066}z");                      /* bidi isolate */
    assert_safe("a\xe2\x80\x8b\xef\xbb\xbfz", -1, "a\\u{200b}\\u{feff}z"); /* zero width */
    assert_safe("a\xe2\x80\xa8z", -1, "a\\u{2028}z");                      /* line separator */
    assert_safe("a\xc2\xa0z", -1, "a\\u{00a0}z");                          /* no-break space */
    assert_safe("a\xe3\x85\xa4z", -1, "a\\u{3164}z");                      /* Hangul filler */
    assert_safe("\xee\x80\x80", -1, "\\u{e000}");                          /* private use */
    assert_safe("\xf3\xa0\x81\x81", -1, "\\u{e0041}");                     /* tag letter */
    assert_safe("a\xef\xbf\xbcz", -1, "a\\u{fffc}z");                      /* a missing object */
    assert_safe("\xf0\x93\x91\x81", -1, "\\u{13441}");                     /* an empty hieroglyph */
    assert_safe("\xf0\x9d\x85\x99", -1, "\\u{1d159}"); /* a note without a head */
}

static void test_safe_marks(void)
{
    assert_safe("e\xcc\x81", -1, "e\xcc\x81");
    assert_safe("\xcc\x81", -1, "\\u{0301}");
    assert_safe("a\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81z", -1,
                "a\xcc\x81\xcc\x81\xcc\x81\xcc\x81\\u{0301}\\u{0301}z");
}

/* What is no mark for Unicode and yet joins what stands before it, without an end. */
static void test_safe_joining(void)
{
    static const char *const joining[] = {"\u1161", "\u11a8", "\uff9e", "\U0001f3fb"};

    assert_safe("\u1112\u1161\u11ab\u1100\u116e\u11a8\u110b\u1165", -1,
                "\u1112\u1161\u11ab\u1100\u116e\u11a8\u110b\u1165"); /* Korean, decomposed */
    assert_safe("\uff76\uff9e\uff77\uff9e", -1, "\uff76\uff9e\uff77\uff9e");
    for (gsize i = 0; i < G_N_ELEMENTS(joining); i++) {
        g_autoptr(GString) in = g_string_new("x"), kept = g_string_new("x");
        for (int n = 0; n < 100; n++) {
            g_string_append(in, joining[i]);
            if (n < 4)
                g_string_append(kept, joining[i]);
        }
        g_autofree char *out = text_safe_max(in->str, -1, 4096);
        g_assert_true(g_str_has_prefix(out, kept->str));
        g_assert_true(g_str_has_prefix(out + kept->len, "\\u{"));
        g_assert_cmpuint(g_utf8_strlen(out, -1), ==, 5 + 96 * (strlen(joining[i]) == 4 ? 9 : 8));
    }
}

static void test_safe_long(void)
{
    g_autofree char *in = g_strnfill(5000, 'x');
    memcpy(in, "begin", 5);
    memcpy(in + 4997, "end", 3);
    g_autofree char *out = text_safe(in, -1);
    g_assert_cmpuint(strlen(out), ==, TEXT_SAFE_MAX);
    g_assert_true(g_str_has_prefix(out, "begin"));
    g_assert_true(g_str_has_suffix(out, "end"));
    g_assert_nonnull(strstr(out, "…"));
    g_autofree char *tiny = text_safe_max(in, -1, 1);
    g_assert_cmpuint(strlen(tiny), ==, 16);
}

/* What must hold for any bytes: valid, printable, one line, bounded; and safe text stays as it is.
 */
static void assert_properties(const char *in, gsize length, gsize max)
{
    g_autofree char *out = text_safe_max(in, length, max);
    g_assert_true(g_utf8_validate(out, -1, NULL));
    g_assert_cmpuint(strlen(out), <=, max);
    for (const char *p = out; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        g_assert_true(g_unichar_isprint(c));
        g_assert_cmpint(g_unichar_type(c), !=, G_UNICODE_FORMAT);
        g_assert_false((c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069));
    }
    g_autofree char *again = text_safe_max(out, -1, max);
    g_assert_cmpstr(again, ==, out);
}

static void test_safe_properties(void)
{
    for (int round = 0; round < 20000; round++) {
        g_autoptr(GString) in = g_string_new(NULL);
        int length = g_test_rand_int_range(0, 60);
        for (int i = 0; i < length; i++) {
            if (g_test_rand_bit())
                g_string_append_c(in, g_test_rand_int_range(0, 256));
            else if (g_test_rand_bit())
                g_string_append_unichar(in, g_test_rand_int_range(0x80, 0xD800));
            else
                g_string_append_unichar(in, g_test_rand_int_range(0x300, 0x370));
        }
        assert_properties(in->str, in->len, g_test_rand_bit() ? 24 : TEXT_SAFE_MAX);
    }
    for (gunichar c = 1; c < 0x110000; c++) {
        char one[8] = "x";
        int n = g_unichar_to_utf8(c, one + 1);
        assert_properties(one, n + 1, 64);
    }
}

static void assert_quoted(const char *in, const char *expected)
{
    g_autofree char *out = text_shell_quote(in);
    g_assert_cmpstr(out, ==, expected);
    g_auto(GStrv) words = NULL;
    int n;
    g_assert_true(g_shell_parse_argv(out, &n, &words, NULL));
    g_assert_cmpint(n, ==, 1);
    g_assert_cmpstr(words[0], ==, in);
}

static void test_quoted(void)
{
    static const struct {
        const char *in, *out;
    } cases[] = {{"git", "git"},
                 {"a.b_c-1", "a.b_c-1"},
                 {"", "\"\""},
                 {"me@host", "\"me@host\""},
                 {"two words", "\"two words\""},
                 {"a\" b", "\"a\\x22 b\""},
                 {"a\\", "\"a\\x5c\""},
                 {"a\xe2\x80\x9d", "\"a\\u{201d}\""},
                 {"\xff\n", "\"\\xff\\n\""}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *out = text_quoted(cases[i].in, -1, 64);
        g_assert_cmpstr(out, ==, cases[i].out);
    }
    g_autofree char *nul = text_quoted("git\0x", 5, 64);
    g_assert_cmpstr(nul, ==, "\"git\\x00x\"");
    /* Wherever it is cut, the only quotes are ours. */
    g_autofree char *many = g_strnfill(100, '"');
    for (gsize max = 16; max < 64; max++) {
        g_autofree char *cut = text_quoted(many, -1, max);
        g_assert_cmpuint(strlen(cut), <=, max + 2);
        g_assert_true(strchr(cut + 1, '"') == cut + strlen(cut) - 1);
    }
}

static void test_quote(void)
{
    assert_quoted("/a/b-c.d", "/a/b-c.d");
    assert_quoted("", "''");
    assert_quoted("a b", "'a b'");
    assert_quoted("it's", "'it'\\''s'");
    assert_quoted("$(x)`y`;*~", "'$(x)`y`;*~'");
    assert_quoted("=ls", "'=ls'");
    assert_quoted("a\nb", "'a\nb'");
}

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
        g_assert_true(text_parse_size(good[i].text, &bytes));
        g_assert_cmpint(bytes, ==, good[i].bytes);
    }
    for (gsize i = 0; i < G_N_ELEMENTS(bad); i++)
        g_assert_false(text_parse_size(bad[i], &bytes));
    g_assert_false(text_parse_size(NULL, &bytes));
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
        g_assert_true(text_parse_duration(good[i].text, &seconds));
        g_assert_cmpint(seconds, ==, good[i].seconds);
    }
    for (gsize i = 0; i < G_N_ELEMENTS(bad); i++)
        g_assert_false(text_parse_duration(bad[i], &seconds));
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
        g_autofree char *text = text_format_size(cases[i].bytes);
        g_assert_cmpstr(text, ==, cases[i].text);
    }
}

static void test_nearest(void)
{
    static const char *const words[] = {"image", "env", "shell", "memory", "pids", NULL};
    g_assert_cmpstr(text_nearest("imgae", words), ==, "image");
    g_assert_cmpstr(text_nearest("shel", words), ==, "shell");
    g_assert_cmpstr(text_nearest("memmry", words), ==, "memory");
    g_assert_cmpstr(text_nearest("envs", words), ==, "env");
    g_assert_null(text_nearest("ev", words)); /* half of the word would be another */
    g_assert_null(text_nearest("kitchen", words));
    g_assert_null(text_nearest("", words));
    g_autofree char *long_word = g_strnfill(100000, 'i');
    g_assert_null(text_nearest(long_word, words));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/text/safe/examples", test_safe_examples);
    g_test_add_func("/text/safe/marks", test_safe_marks);
    g_test_add_func("/text/safe/joining", test_safe_joining);
    g_test_add_func("/text/safe/long", test_safe_long);
    g_test_add_func("/text/safe/properties", test_safe_properties);
    g_test_add_func("/text/quote", test_quote);
    g_test_add_func("/text/quoted", test_quoted);
    g_test_add_func("/text/size", test_size);
    g_test_add_func("/text/duration", test_duration);
    g_test_add_func("/text/format-size", test_format_size);
    g_test_add_func("/text/nearest", test_nearest);
    return g_test_run();
}
