/* Hunks of a difference, and a text with some of them. */
#include "box/branch/hunks.h"

#include <string.h>

static hunk_text text_of(const char *text)
{
    return (hunk_text){text, strlen(text)};
}

/* OLD with the hunks whose letter in CHOSEN is 'y'. */
static void expect(const char *difference, const char *old, const char *new, const char *chosen,
                   const char *expected)
{
    g_autoptr(GArray) hunks = hunks_parse(text_of(difference), text_of(old), text_of(new));
    g_assert_nonnull(hunks);
    g_assert_cmpuint(hunks->len, ==, strlen(chosen));
    for (guint i = 0; i < hunks->len; i++)
        g_array_index(hunks, hunk, i).is_chosen = chosen[i] == 'y';
    g_autoptr(GString) text = hunks_apply(hunks, text_of(old), text_of(new));
    g_assert_cmpstr(text->str, ==, expected);
}

#define OLD "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n"
#define NEW "1\nzwei\n3\n4\n5\n6\n7\n8\n9\nnew\n10\n11"
#define FIRST "@@ -1,5 +1,5 @@\n 1\n-2\n+zwei\n 3\n 4\n 5\n"
#define SECOND "@@ -7,5 +7,6 @@\n 7\n 8\n 9\n+new\n 10\n-11\n+11\n\\ No newline at end of file\n"
#define NAMES "--- a/x\n+++ b/x\n"

static void test_chosen(void)
{
    expect(NAMES FIRST SECOND, OLD, NEW, "nn", OLD);
    expect(NAMES FIRST SECOND, OLD, NEW, "yy", NEW);
    expect(NAMES FIRST SECOND, OLD, NEW, "yn", "1\nzwei\n3\n4\n5\n6\n7\n8\n9\n10\n11\n");
    expect(NAMES FIRST SECOND, OLD, NEW, "ny", "1\n2\n3\n4\n5\n6\n7\n8\n9\nnew\n10\n11");
    expect("", "same\n", "same\n", "", "same\n");
    expect("@@ -0,0 +1 @@\n+a\n", "", "a\n", "y", "a\n");
    expect("@@ -1 +0,0 @@\n-a\n", "a\n", "", "y", "");
    expect("@@ -1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+\n", "a", "a\n\n", "y", "a\n\n");
}

/* It shows something else than what the texts are. */
static void test_lies(void)
{
    static const char *const lies[] = {
        "",
        NAMES FIRST,
        NAMES SECOND,
        NAMES SECOND FIRST,
        NAMES NAMES FIRST SECOND,
        "Binary files a and b differ\n",
        NAMES "@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n" SECOND,
        NAMES "@@ -1,5 +1,5 @@\n 1\n-two\n+zwei\n 3\n 4\n 5\n" SECOND,
        NAMES "@@ -1,4 +1,5 @@\n 1\n-2\n+zwei\n 3\n 4\n 5\n" SECOND,
        NAMES "@@ -2,5 +1,5 @@\n 1\n-2\n+zwei\n 3\n 4\n 5\n" SECOND,
        NAMES "@@ -0,5 +1,5 @@\n 1\n-2\n+zwei\n 3\n 4\n 5\n" SECOND,
        NAMES "@@ -1,99999999999999999999 +1,5 @@\n 1\n-2\n+zwei\n 3\n 4\n 5\n" SECOND,
        NAMES "@@ -x +1,5 @@\n" SECOND,
        NAMES FIRST "@@ -7,5 +7,6 @@\n 7\n 8\n 9\n+new\n 10\n-11\n+11\n",
        NAMES FIRST SECOND "and more\n",
    };
    for (gsize i = 0; i < G_N_ELEMENTS(lies); i++)
        g_assert_null(hunks_parse(text_of(lies[i]), text_of(OLD), text_of(NEW)));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/hunks/chosen", test_chosen);
    g_test_add_func("/hunks/lies", test_lies);
    return g_test_run();
}
