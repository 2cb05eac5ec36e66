/* What git-diff-tree(1) prints of commits that a box has made. */
#include "box/branch/commit_changes.h"

#include <string.h>

#define A "c4ca0aa26a0937528356ea6b963f6e8aac7956ed"
#define B "d06882bb7c0dacc2082bdc14805d54f3b87a5584"
#define NONE "0000000000000000000000000000000000000000"

static void note(const commit_change *change, void *data)
{
    g_string_append_printf(data, "%.2s %.2s %o %s%s;", change->commit, change->object, change->mode,
                           change->is_added ? "+" : "", change->path);
}

static void expect_bytes(const char *text, gsize length, const char *wanted)
{
    g_autoptr(GString) found = g_string_new(NULL);
    g_autofree char *exact = g_memdup2(text, length);
    gboolean good = commit_changes_parse(exact, length, note, found);
    g_assert_cmpint(good, ==, wanted != NULL);
    if (wanted)
        g_assert_cmpstr(found->str, ==, wanted);
}
#define expect(text, wanted) expect_bytes(text, sizeof(text) - 1, wanted)

static void test_good(void)
{
    expect("", "");
    expect(A "\0:000000 100644 " NONE " " B " A\0a\nb\0", "c4 d0 100644 +a\nb;");
    expect(A "\0:100644 000000 " B " " NONE " D\0x\0:100644 120000 " B " " A " T\0y\0",
           "c4 00 0 x;c4 c4 120000 y;");
    /* A merge: new to both parents, and to one of them. */
    expect(B "\0::000000 000000 100755 " NONE " " NONE " " A " AA\0new\0"
             "::000000 100644 160000 " NONE " " B " " A " AM\0old\0",
           "d0 c4 100755 +new;d0 c4 160000 old;");
    /* A path that looks like a commit is one only where a commit can be. */
    expect(A "\0:000000 100644 " NONE " " B " A\0" A "\0", "c4 d0 100644 +" A ";");
}

static void test_bad(void)
{
    expect("x\0", NULL);
    expect(A, NULL);
    expect(":000000 100644 " NONE " " B " A\0a\0", NULL); /* of no commit */
    expect(A "\0:000000 100644 " NONE " " B " A\0", NULL);
    expect(A "\0:000000 100644 " NONE " " B " A\0a", NULL);
    expect(A "\0:000000 100644 " NONE " " B " A\0\0", NULL);
    expect(A "\0:000000 100644 " NONE " A\0a\0", NULL);
    expect(A "\0:000000 10064x " NONE " " B " A\0a\0", NULL);
    expect(A "\0:000000 100644 " NONE " " A B " A\0a\0", NULL);
    expect(A "\0::000000 100644 " NONE " " B " A\0a\0", NULL);
    static const char whole[] = A "\0:000000 100644 " NONE " " B " A\0a\0";
    for (gsize i = sizeof A + 1; i < sizeof whole - 1; i++)
        expect_bytes(whole, i, NULL);
}

static void test_names(void)
{
    g_assert_true(git_object_is_valid(A, 40));
    g_assert_false(git_object_is_valid(A, 39));
    g_assert_false(git_object_is_valid("C4ca0aa26a0937528356ea6b963f6e8aac7956ed", 40));
    g_assert_false(git_object_is_valid("../../../../../../../../../../../../../x", 40));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/commit_changes/good", test_good);
    g_test_add_func("/commit_changes/bad", test_bad);
    g_test_add_func("/commit_changes/names", test_names);
    return g_test_run();
}
