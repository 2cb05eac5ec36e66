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

/* Characters that are not of a mark category in Unicode but combine with the one before them, any
 * number of times. */
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

/* What holds for any input: the result is valid UTF-8, printable, one line and bounded, and
 * escaping it again does not change it. */
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
                 {"a   b ", "\"a \\x20\\x20b \""},
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
    /* Wherever it is cut, the outer quotes are the only ones. */
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

static void test_nearest(void)
{
    static const char *const words[] = {"image", "env", "shell", "memory", "pids", NULL};
    g_assert_cmpstr(text_nearest("imgae", words), ==, "image");
    g_assert_cmpstr(text_nearest("shel", words), ==, "shell");
    g_assert_cmpstr(text_nearest("memmry", words), ==, "memory");
    g_assert_cmpstr(text_nearest("envs", words), ==, "env");
    g_assert_cmpstr(text_nearest("mmeory", words), ==, "memory");
    g_assert_cmpstr(text_nearest("hsell", words), ==, "shell");
    g_assert_null(text_nearest("ev", words)); /* half of the characters would change */
    /* Other words, not misspelt ones. */
    static const char *const commands[] = {"stop", "help", "list", "init", NULL};
    g_assert_null(text_nearest("top", commands));
    g_assert_null(text_nearest("shell", commands));
    g_assert_cmpstr(text_nearest("sto", commands), ==, "stop");
    g_assert_cmpstr(text_nearest("tsop", commands), ==, "stop");
    g_assert_cmpstr(text_nearest("lits", commands), ==, "list");
    g_assert_null(text_nearest("kitchen", words));
    g_assert_null(text_nearest("", words));
    g_autofree char *long_word = g_strnfill(100000, 'i');
    g_assert_null(text_nearest(long_word, words));
}

static void test_cut_path(void)
{
    g_autofree char *path = g_strdup("a/bc/d");
    g_assert_true(text_cut_path(path));
    g_assert_cmpstr(path, ==, "a/bc");
    g_assert_true(text_cut_path(path));
    g_assert_false(text_cut_path(path));
    g_assert_cmpstr(path, ==, "a");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/text/safe/escapes-dangerous-characters", test_safe_examples);
    g_test_add_func("/text/safe/limits-combining-marks", test_safe_marks);
    g_test_add_func("/text/safe/limits-other-combining-characters", test_safe_joining);
    g_test_add_func("/text/safe/cuts-out-the-middle", test_safe_long);
    g_test_add_func("/text/safe/is-harmless-for-any-bytes", test_safe_properties);
    g_test_add_func("/text/shell-quote", test_quote);
    g_test_add_func("/text/quoted-name-cannot-end-early", test_quoted);
    g_test_add_func("/text/nearest", test_nearest);
    g_test_add_func("/text/cut-path", test_cut_path);
    return g_test_run();
}
