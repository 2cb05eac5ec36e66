/* A grant covers exactly its scope, until its end and up to its number of uses. */
#include "ssh-agent/agent/grants.h"

#define SECOND ((gint64)G_USEC_PER_SEC)

static grant_scope login(const char *box, const char *key, const char *user, const char *host)
{
    return (grant_scope){(char *)box, (char *)key, GRANT_LOGIN, (char *)user, (char *)host, NULL};
}

static grant_scope signature(const char *box, const char *key, const char *name_space)
{
    return (grant_scope){(char *)box, (char *)key, GRANT_SIGNATURE, NULL, NULL, (char *)name_space};
}

static void test_exact(void)
{
    grants *all = grants_new();
    const grant_scope given = login("shop", "K", "git", "H");
    grants_add(all, &given, "words", 0, 100);
    const grant_scope others[] = {
        login("shop2", "K", "git", "H"), login("shop", "K2", "git", "H"),
        login("shop", "K", "root", "H"), login("shop", "K", "git", "H2"),
        login("shop", "K", "", "H"),     login("shop", "K", NULL, "H"),
        login("shop", "K", "git", NULL), signature("shop", "K", "git"),
    };
    for (gsize i = 0; i < G_N_ELEMENTS(others); i++)
        g_assert_null(grants_use(all, &others[i], 1));
    g_assert_nonnull(grants_use(all, &given, 1));
    grants_free(all);
}

static void test_namespace(void)
{
    grants *all = grants_new();
    const grant_scope git = signature("shop", "K", "git"), file = signature("shop", "K", "file");
    grants_add(all, &git, "words", 0, 100);
    g_assert_null(grants_use(all, &file, 1));
    g_assert_nonnull(grants_use(all, &git, 1));
    grants_free(all);
}

/* An incomplete scope cannot be granted. */
static void test_incomplete_scope(void)
{
    grants *all = grants_new();
    const grant_scope holes[] = {
        login("shop", "K", "git", NULL),
        login("shop", "K", NULL, "H"),
        login(NULL, "K", "git", "H"),
        login("shop", NULL, "git", "H"),
        signature("shop", "K", NULL),
        {(char *)"shop", (char *)"K", GRANT_SIGNATURE, (char *)"git", NULL, (char *)"git"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(holes); i++) {
        g_assert_cmpuint(grants_add(all, &holes[i], "words", 0, 100), ==, 0);
        g_assert_null(grants_use(all, &holes[i], 1));
    }
    g_assert_cmpuint(grants_live(all, 1)->len, ==, 0);
    grants_free(all);
}

static void test_time(void)
{
    grants *all = grants_new();
    const grant_scope scope = signature("shop", "K", "git");
    guint64 id = grants_add(all, &scope, "words", 300 * SECOND, 100);
    g_assert_true(grants_hold(all, id, 299 * SECOND));
    g_assert_false(grants_hold(all, id, 300 * SECOND));
    g_assert_nonnull(grants_use(all, &scope, 299 * SECOND));
    g_assert_null(grants_use(all, &scope, 300 * SECOND));
    g_assert_cmpuint(grants_live(all, 300 * SECOND)->len, ==, 0);
    grants_free(all);
}

static void test_uses(void)
{
    grants *all = grants_new();
    const grant_scope scope = signature("shop", "K", "git");
    grants_add(all, &scope, "words", 0, 2);
    g_assert_nonnull(grants_use(all, &scope, 1));
    g_assert_nonnull(grants_use(all, &scope, 1));
    g_assert_null(grants_use(all, &scope, 1));
    g_assert_cmpuint(grants_add(all, &scope, "words", 0, 0), ==, 0);
    grants_free(all);
}

static void test_clear(void)
{
    grants *all = grants_new();
    const grant_scope a = signature("a", "K", "git"), b = signature("b", "K", "git"),
                      c = signature("b", "L", "git");
    guint64 first = grants_add(all, &a, "words", 0, 9);
    grants_add(all, &b, "words", 0, 9);
    grants_add(all, &c, "words", 0, 9);
    g_assert_cmpuint(grants_clear(all, "b", "K"), ==, 1);
    g_assert_null(grants_use(all, &b, 1));
    g_assert_nonnull(grants_use(all, &c, 1));
    g_assert_cmpuint(grants_clear(all, "b", NULL), ==, 1);
    g_assert_true(grants_hold(all, first, 1));
    g_assert_true(grants_revoke(all, first));
    g_assert_false(grants_hold(all, first, 1));
    g_assert_false(grants_revoke(all, first));
    g_assert_cmpuint(grants_clear(all, NULL, NULL), ==, 0);
    grants_free(all);
}

/* Grants end after any sleep of the machine, but not for differences within the clocks' tolerance.
 */
static void test_slept(void)
{
    grants *all = grants_new();
    const grant_scope git = signature("shop", "K", "git");
    g_assert_cmpuint(grants_slept(all, 100 * SECOND), ==, 0);
    grants_add(all, &git, "words", 0, 100);
    g_assert_cmpuint(grants_slept(all, 100 * SECOND + 50), ==, 0);
    g_assert_cmpuint(grants_slept(all, 100 * SECOND - 50), ==, 0);
    g_assert_nonnull(grants_use(all, &git, 1));
    g_assert_cmpuint(grants_slept(all, 101 * SECOND), ==, 1);
    g_assert_null(grants_use(all, &git, 1));
    g_assert_cmpuint(grants_slept(all, 101 * SECOND), ==, 0);
    grants_free(all);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent-grants/exact-scope", test_exact);
    g_test_add_func("/agent-grants/namespace", test_namespace);
    g_test_add_func("/agent-grants/incomplete-scope", test_incomplete_scope);
    g_test_add_func("/agent-grants/time", test_time);
    g_test_add_func("/agent-grants/uses", test_uses);
    g_test_add_func("/agent-grants/clear", test_clear);
    g_test_add_func("/agent-grants/end-after-sleep", test_slept);
    return g_test_run();
}
