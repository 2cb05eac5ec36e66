/* toml.h: kinds and places, and files that were made to hurt. */
#include "config/toml.h"

#include <string.h>

static toml_tree *parse(const char *text)
{
    toml_place at;
    g_autofree char *message = NULL;
    toml_tree *tree = toml_parse(text, strlen(text), &at, &message);
    if (!tree)
        g_error("%u:%u: %s", at.line, at.column, message);
    return tree;
}

static void assert_refused(const char *text, gssize length, guint line, guint column)
{
    toml_place at = {0, 0};
    g_autofree char *message = NULL;
    g_autoptr(toml_tree) tree =
        toml_parse(text, length < 0 ? strlen(text) : (gsize)length, &at, &message);
    g_assert_null(tree);
    g_assert_nonnull(message);
    g_assert_cmpuint(strlen(message), <=, 200);
    g_assert_null(strchr(message, '\n'));
    g_assert_true(g_utf8_validate(message, -1, NULL));
    g_test_message("%u:%u: %s", at.line, at.column, message);
    if (line) {
        g_assert_cmpuint(at.line, ==, line);
        g_assert_cmpuint(at.column, ==, column);
    }
}

static void test_kinds(void)
{
    g_autoptr(toml_tree) root = parse("s = \"tëxt\\u0000x\"\n"
                                      "i = -3\n"
                                      "d = 2.5\n"
                                      "b = true\n"
                                      "t = 1979-05-27T07:32:00Z\n"
                                      "  a = [1, 'two']\n"
                                      "[table]\n"
                                      "\"qu.oted\" = {}\n");
    const toml_tree *s = toml_get(root, "s");
    g_assert_cmpint(s->kind, ==, TOML_STRING);
    g_assert_cmpuint(s->length, ==, 7);
    g_assert_cmpint(toml_get(root, "i")->integer, ==, -3);
    g_assert_cmpfloat(toml_get(root, "d")->number, ==, 2.5);
    g_assert_true(toml_get(root, "b")->boolean);
    g_assert_cmpint(toml_get(root, "t")->kind, ==, TOML_DATE);
    const toml_tree *a = toml_get(root, "a");
    g_assert_cmpint(a->kind, ==, TOML_ARRAY);
    g_assert_cmpuint(a->children->len, ==, 2);
    g_assert_cmpuint(a->key_at.line, ==, 6);
    g_assert_cmpuint(a->key_at.column, ==, 3);
    g_assert_cmpuint(a->at.column, ==, 7);
    const toml_tree *two = g_ptr_array_index(a->children, 1);
    g_assert_cmpuint(two->at.column, ==, 11);
    const toml_tree *table = toml_get(root, "table");
    g_assert_nonnull(toml_get(table, "qu.oted"));
    g_assert_null(toml_get(table, "qu"));
    g_assert_null(toml_get(s, "x"));
}

static void test_errors(void)
{
    assert_refused("a = 1\na = 2\n", -1, 2, 5);
    assert_refused("a = \n", -1, 1, 5);
    assert_refused("a = 99999999999999999999\n", -1, 0, 0);
    assert_refused("a = \"x\ny\"\n", -1, 0, 0);
    assert_refused("[a]\n[a]\n", -1, 0, 0);
    assert_refused("a = \"\xff\"\n", -1, 0, 0);
    assert_refused("a = \"\xed\xa0\x80\"\n", -1, 0, 0);
    assert_refused("a = 1\0b = 2\n", 12, 0, 0);
    assert_refused("a = \"\0\"\n", 8, 0, 0);
    assert_refused("a = 1 \r b = 2", -1, 0, 0);
    assert_refused("\xe2\x80\xae = 1\n", -1, 0, 0); /* bidi in a bare key */
    assert_refused("a = 'x\033[2J'", -1, 0, 0);
}

static void assert_deep(const char *open, const char *close, const char *before)
{
    g_autoptr(GString) text = g_string_new(before);
    for (int i = 0; i < 100000; i++)
        g_string_append(text, open);
    for (int i = 0; i < 100000; i++)
        g_string_append(text, close);
    assert_refused(text->str, text->len, 0, 0);
}

static void test_deep(void)
{
    assert_deep("[", "]", "a = ");
    assert_deep("{a=", "}", "a = ");
    assert_deep("a.", "", "");
    assert_deep("a.", "", "[");
    assert_deep("a . ", "", "[[");
    assert_deep("\"a\".", "", "x = { ");
    assert_deep("'a\"' . ", "", "x = \"\"\"\"\"\"\n");
    assert_deep("{a.a.a.a.a.a.a.a=", "}", "a = ");
}

/* Where toml++ 3.3 runs into undefined behaviour by itself. */
static void test_beyond_ascii(void)
{
    assert_refused("\n é = 1\n", -1, 2, 2);
    assert_refused("a = \xef\xbb\xbd", -1, 1, 5);
    g_autoptr(toml_tree) bom = parse("\xef\xbb\xbf# ünï\na = 1\n");
    g_assert_nonnull(toml_get(bom, "a"));
    g_autoptr(toml_tree) root = parse("\"é\" = 'ü'\na = \"\"\"\\\n   é \\\n\n  ü\"\"\"\n");
    g_assert_cmpstr(toml_get(root, "é")->string, ==, "ü");
    g_assert_cmpstr(toml_get(root, "a")->string, ==, "é ü");
}

static void test_depth_counts_keys_alone(void)
{
    g_autoptr(GString) text = g_string_new("# a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w\n");
    g_string_append(text, "a = \"1.2.3.4.5.6.7.8.9.0.1.2.3.4.5.6.7.8.9\\\"\"\n");
    g_string_append(text, "b = '''1.2.3.4.5.6.7.8.9.0.'1.2.3.4''5.6.7.8.9'''''\n");
    g_string_append(text,
                    "c = [1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0]\n");
    g_string_append(text, "d.e.f.g.h.i.j = 1\n");
    g_autoptr(toml_tree) root = parse(text->str);
    g_assert_cmpuint(root->children->len, ==, 4);

    toml_place at;
    const char *deep = "ok = 1\nx = \"\"\n a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a = 1\n";
    g_assert_nonnull(toml_scan(deep, strlen(deep), &at));
    g_assert_cmpuint(at.line, ==, 3);
    g_assert_cmpuint(at.column, ==, 33);
}

/* A megabyte of the worst shapes must neither crash nor take long. */
static void test_large(void)
{
    static const char *const shapes[] = {"a%d = 1\n", "[s%d]\n", "[[m]]\nk%d=1\n", "[a.b.c%d.d]\n",
                                         "k%d = [{},{}]\n"};
    for (gsize s = 0; s < G_N_ELEMENTS(shapes); s++) {
        g_autoptr(GString) text = g_string_new(NULL);
        for (int i = 0; text->len < (1 << 20); i++) {
            g_auto(GStrv) parts = g_strsplit(shapes[s], "%d", 2);
            g_string_append_printf(text, "%s%d%s", parts[0], i, parts[1]);
        }
        gint64 start = g_get_monotonic_time();
        g_autoptr(toml_tree) root = parse(text->str);
        g_assert_cmpuint(root->children->len, >, 0);
        g_assert_cmpint(g_get_monotonic_time() - start, <, 20 * G_USEC_PER_SEC);
    }
}

static void test_random(void)
{
    static const char *const pieces[] = {
        "a",  ".",  "=",   "[",  "]", "{",  "}",  ",",    "\"", "'", "\"\"\"", "'''",
        "\n", "\\", "#",   "1",  "-", ":",  "e",  "true", "é",  " ", "\xff",   "\\u",
        "_",  "+",  "inf", "0x", "T", "\r", "[[", "]]",   "a=", "\t"};
    for (int round = 0; round < 10000; round++) {
        g_autoptr(GString) text = g_string_new(NULL);
        toml_place at;
        g_autofree char *message = NULL;
        int n = g_test_rand_int_range(0, 30);
        for (int i = 0; i < n; i++)
            g_string_append(text, pieces[g_test_rand_int_range(0, G_N_ELEMENTS(pieces))]);
        toml_free(toml_parse(text->str, text->len, &at, &message));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/config/toml/kinds", test_kinds);
    g_test_add_func("/config/toml/errors", test_errors);
    g_test_add_func("/config/toml/deep", test_deep);
    g_test_add_func("/config/toml/beyond-ascii", test_beyond_ascii);
    g_test_add_func("/config/toml/depth-counts-keys-alone", test_depth_counts_keys_alone);
    g_test_add_func("/config/toml/large", test_large);
    g_test_add_func("/config/toml/random", test_random);
    return g_test_run();
}
