/* What is kept of a session's output, and as what text. */
#include "box/exec/output_pieces.h"

#include <glib.h>
#include <string.h>

static void add(output_pieces *self, int fd, const char *text)
{
    output_pieces_add(self, fd, text, strlen(text));
}

static void assert_json(const output_pieces *self, gboolean plain, const char *expected)
{
    json_t *list = output_pieces_json(self, plain);
    char *text = json_dumps(list, JSON_COMPACT);
    g_assert_cmpstr(text, ==, expected);
    free(text);
    json_decref(list);
}

static void test_order(void)
{
    g_autoptr(output_pieces) self = output_pieces_new(1000);
    assert_json(self, FALSE, "[]");
    add(self, 1, "a");
    add(self, 1, "b\n");
    add(self, 2, "c");
    add(self, 1, "d");
    assert_json(
        self, FALSE,
        "[{\"stream\":\"stdout\",\"text\":\"ab\\n\"},{\"stream\":\"stderr\",\"text\":\"c\"},"
        "{\"stream\":\"stdout\",\"text\":\"d\"}]");
    g_assert_cmpuint(output_pieces_length(self), ==, 5);
    output_pieces_clear(self);
    assert_json(self, FALSE, "[]");
}

static void test_text(void)
{
    g_autoptr(output_pieces) self = output_pieces_new(1000);
    add(self, 1, "x\xff\x1b[31m\t");
    assert_json(self, FALSE, "[{\"stream\":\"stdout\",\"text\":\"x\357\277\275\\u001B[31m\\t\"}]");
    assert_json(self, TRUE,
                "[{\"stream\":\"stdout\",\"text\":\"x\357\277\275\357\277\275[31m\\t\"}]");
}

/* A character whose bytes come in two reads, with the other stream between them. */
static void test_divided_character(void)
{
    g_autoptr(output_pieces) self = output_pieces_new(1000);
    add(self, 1, "a\xe2\x82");
    add(self, 2, "b");
    add(self, 1, "\xac");
    assert_json(self, FALSE,
                "[{\"stream\":\"stdout\",\"text\":\"a\"},{\"stream\":\"stderr\",\"text\":\"b\"},"
                "{\"stream\":\"stdout\",\"text\":\"\342\202\254\"}]");
    add(self, 2, "\xe2");
    output_pieces_clear(self);
    assert_json(self, FALSE, "[{\"stream\":\"stderr\",\"text\":\"\357\277\275\"}]");
}

static void test_limit(void)
{
    g_autoptr(output_pieces) self = output_pieces_new(8);
    add(self, 1, "0123456789");
    assert_json(self, FALSE,
                "[{\"stream\":\"stdout\",\"text\":\"0123\"},"
                "{\"stream\":\"stdout\",\"text\":\"6789\",\"omitted_before\":2}]");
    for (int i = 0; i < 1000; i++)
        add(self, 1 + i % 2, "abcde");
    g_assert_cmpuint(output_pieces_omitted(self), ==, output_pieces_length(self) - 8);
    assert_json(self, FALSE,
                "[{\"stream\":\"stdout\",\"text\":\"0123\"},"
                "{\"stream\":\"stderr\",\"text\":\"bcde\",\"omitted_before\":5002}]");
}

/* No character is cut. */
static void test_limit_in_character(void)
{
    g_autoptr(output_pieces) self = output_pieces_new(6);
    add(self, 1, "ab\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac");
    json_t *list = output_pieces_json(self, FALSE);
    char *text = json_dumps(list, JSON_COMPACT);
    g_assert_null(strstr(text, "\357\277\275"));
    g_assert_nonnull(strstr(text, "\"ab\""));
    free(text);
    json_decref(list);
}

/* Each in a piece of its own, which costs far more than its byte. */
static void test_many_pieces(void)
{
    g_autoptr(output_pieces) self = output_pieces_new(1 << 20);
    for (int i = 0; i < 100000; i++)
        add(self, 1 + i % 2, i < 50000 ? "a" : "z");
    json_t *list = output_pieces_json(self, FALSE);
    size_t count = json_array_size(list);
    g_assert_cmpuint(count, >, 4000);
    g_assert_cmpuint(count, <, 10000);
    g_assert_cmpuint(output_pieces_omitted(self), ==, 100000 - count);
    g_assert_cmpstr(json_string_value(json_object_get(json_array_get(list, 0), "text")), ==, "a");
    json_t *last = json_array_get(list, count - 1);
    g_assert_cmpstr(json_string_value(json_object_get(last, "text")), ==, "z");
    json_decref(list);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/output-pieces/order", test_order);
    g_test_add_func("/output-pieces/text", test_text);
    g_test_add_func("/output-pieces/divided-character", test_divided_character);
    g_test_add_func("/output-pieces/limit", test_limit);
    g_test_add_func("/output-pieces/limit-in-character", test_limit_in_character);
    g_test_add_func("/output-pieces/many-pieces", test_many_pieces);
    return g_test_run();
}
