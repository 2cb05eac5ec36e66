/* What the options of git's command lines say. */
#include "box/git_shim/git_call.h"

/* The words of LINE, separated by spaces, with "git" in front. */
static char **words_of(const char *line)
{
    g_autofree char *all = g_strconcat("git ", line, NULL);
    return g_strsplit(*line ? all : "git", " ", -1);
}

static char *join(const GPtrArray *words)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < words->len; i++)
        g_string_append_printf(text, "%s%s", i ? " " : "", (const char *)words->pdata[i]);
    return g_strdup(text->str);
}

/* FOLDERS and REST: words with spaces between them. */
static void assert_call(const char *line, const char *folders, const char *git_dir,
                        const char *work_tree, const char *rest, const char *command)
{
    g_auto(git_call) call;
    g_auto(GStrv) argv = words_of(line);
    git_call_parse(&call, argv);
    g_autofree char *entered = join(call.folders);
    g_autofree char *left = join(call.rest);
    g_assert_cmpstr(call.unknown, ==, NULL);
    g_assert_cmpstr(entered, ==, folders);
    g_assert_cmpstr(call.git_dir, ==, git_dir);
    g_assert_cmpstr(call.work_tree, ==, work_tree);
    g_assert_cmpstr(left, ==, rest);
    g_assert_cmpstr(call.command, ==, command);
}

static void test_places(void)
{
    assert_call("", "", NULL, NULL, "", NULL);
    assert_call("status", "", NULL, NULL, "status", "status");
    assert_call("-C a status", "a", NULL, NULL, "status", "status");
    assert_call("-C a -C ../b -p log -C c", "a ../b", NULL, NULL, "-p log -C c", "log");
    assert_call("--git-dir=g --work-tree w log", "", "g", "w", "log", "log");
    assert_call("--git-dir g --git-dir=h log", "", "h", NULL, "log", "log");
    assert_call("--git-dir= log", "", "", NULL, "log", "log");
    assert_call("--bare -c -C=x status", "", NULL, NULL, "--bare -c -C=x status", "status");
    /* The value of another option is no option. */
    assert_call("-c -C status", "", NULL, NULL, "-c -C status", "status");
    assert_call("--namespace -C -C a status", "a", NULL, NULL, "--namespace -C status", "status");
    assert_call("--namespace=x -C a status", "a", NULL, NULL, "--namespace=x status", "status");
    assert_call("--exec-path=x --exec-path -C a", "a", NULL, NULL, "--exec-path=x --exec-path",
                NULL);
    assert_call("--version -C a", "", NULL, NULL, "--version -C a", "--version");
}

/* git refuses these too, before it looks for a repository. */
static void test_missing_values(void)
{
    assert_call("-C", "", NULL, NULL, "", NULL);
    assert_call("-C a --git-dir", "a", "", NULL, "", NULL);
    assert_call("-c", "", NULL, NULL, "-c", NULL);
}

static void assert_unknown(const char *line, const char *option)
{
    g_auto(git_call) call;
    g_auto(GStrv) argv = words_of(line);
    git_call_parse(&call, argv);
    g_assert_cmpstr(call.unknown, ==, option);
}

static void test_unknown(void)
{
    assert_unknown("--new -C a status", "--new");
    assert_unknown("-C a --new status", "--new");
    assert_unknown("-Ca status", "-Ca");
    assert_unknown("-- status", "--");
    assert_unknown("-c=x status", "-c=x");
    assert_unknown("--git-dirs=x status", "--git-dirs=x");
    assert_unknown("--bare -C a status", "-C behind --bare");
    assert_unknown("-C a --bare status", NULL);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/git-call/places", test_places);
    g_test_add_func("/git-call/missing-values", test_missing_values);
    g_test_add_func("/git-call/unknown-options", test_unknown);
    return g_test_run();
}
