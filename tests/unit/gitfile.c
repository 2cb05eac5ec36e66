/* Which files that lead git to a repository a box may write. */
#include <glib.h>
#include <string.h>

#include "guest/guard/git_config.h"
#include "guest/guard/gitfile.h"

static const char *const roots[] = {"/home/me/shop", "/home/me/main/.git"};

static int harmless(enum gitfile_kind kind, const char *text)
{
    return gitfile_is_harmless(kind, text, strlen(text), roots, G_N_ELEMENTS(roots));
}

static void gitfiles(void)
{
    static const char *const good[] = {"gitdir: ../.git/modules/x\n",
                                       "gitdir: ../.git/modules/x",
                                       "gitdir: ../../../.git/modules/a/b\n",
                                       "gitdir: /home/me/shop/.git/worktrees/x\n",
                                       "gitdir: /home/me/main/.git/worktrees/x\n",
                                       "gitdir: ../.git/modules/with space\n",
                                       "gitdir: ../.git/modules/a/modules/b\n"};
    static const char *const bad[] = {"",
                                      "\n",
                                      "gitdir: \n",
                                      "gitdir: ../.git\n",
                                      "gitdir: .git/modules/x\n",
                                      "gitdir: ../x/.git/modules/x\n",
                                      "gitdir: ../.git/../x\n",
                                      "gitdir: ../.git/modules/../../x\n",
                                      "gitdir: ../.git/./x\n",
                                      "gitdir: ../.git//x\n",
                                      "gitdir: ../.git/x/\n",
                                      "gitdir: ../.GIT/modules/x\n",
                                      "gitdir: ../.git/refs/x\n",
                                      "gitdir: ../.git/logs\n",
                                      "gitdir: ../.git/modules/x/Logs/y\n",
                                      "gitdir: /home/me/shop/.git/refs/x\n",
                                      "gitdir: ..\n",
                                      "gitdir: /home/me/shop/x/.git/worktrees/x\n",
                                      "gitdir: /home/me/shop2/.git/worktrees/x\n",
                                      "gitdir: /home/me/shop/.git\n",
                                      "gitdir: /home/me/main/x\n",
                                      "gitdir: /home/me/main/.git\n",
                                      "gitdir: /home/me/shop/.git/../x\n",
                                      "gitdir: //home/me/shop/.git/worktrees/x\n",
                                      "gitdir: ../.git/modules/x\n\n",
                                      "gitdir: ../.git/modules/x\r\n",
                                      "gitdir: ../.git/x\ny\n",
                                      "gitdir:../.git/modules/x\n",
                                      "Gitdir: ../.git/modules/x\n",
                                      " gitdir: ../.git/modules/x\n",
                                      "gitdir:  ../.git/modules/x\n",
                                      "gitdir: ../.git/modules/x\ngitdir: /tmp\n"};
    for (gsize i = 0; i < G_N_ELEMENTS(good); i++)
        g_assert_true(harmless(GITFILE_GIT, good[i]));
    for (gsize i = 0; i < G_N_ELEMENTS(bad); i++)
        g_assert_false(harmless(GITFILE_GIT, bad[i]));
    g_assert_false(gitfile_is_harmless(GITFILE_GIT, "gitdir: ../.git/x\0y", 19, roots, 2));
}

static void worktree_files(void)
{
    g_assert_true(harmless(GITFILE_COMMONDIR, "../..\n"));
    g_assert_true(harmless(GITFILE_COMMONDIR, "../.."));
    g_assert_false(harmless(GITFILE_COMMONDIR, "../../..\n"));
    g_assert_false(harmless(GITFILE_COMMONDIR, "../../x\n"));
    g_assert_false(harmless(GITFILE_COMMONDIR, "../../\n"));
    g_assert_false(harmless(GITFILE_COMMONDIR, "/home/me/shop/.git\n"));
    g_assert_true(harmless(GITFILE_GITDIR, "/home/me/shop/tree/.git\n"));
    g_assert_true(harmless(GITFILE_GITDIR, "../../../tree/.git\n"));
    g_assert_false(harmless(GITFILE_GITDIR, "/home/me/tree/.git\n"));
    g_assert_false(harmless(GITFILE_GITDIR, "/home/me/shop/../tree/.git\n"));
    g_assert_false(harmless(GITFILE_GITDIR, "/home/me/shop/tree\n"));
    g_assert_false(harmless(GITFILE_GITDIR, "tree/.git\n"));
    g_assert_false(harmless(GITFILE_GITDIR, "/.git\n"));
}

static void kinds(void)
{
    g_assert_cmpint(gitfile_kind_of(".git", 4), ==, GITFILE_GIT);
    g_assert_cmpint(gitfile_kind_of("commondir", 9), ==, GITFILE_COMMONDIR);
    g_assert_cmpint(gitfile_kind_of("CommonDir", 9), ==, GITFILE_COMMONDIR);
    g_assert_cmpint(gitfile_kind_of("gitdir", 6), ==, GITFILE_GITDIR);
}

static void assert_dropped(const char *text, const char *left)
{
    g_autofree char *copy = g_strdup(text);
    gsize length = strlen(copy);
    git_config_drop_worktree(copy, &length);
    g_assert_cmpmem(copy, length, left, strlen(left));
}

static void worktree_of_a_submodule(void)
{
    assert_dropped("[core]\n\tbare = false\n\tworktree = ../../../x\n[a]\n",
                   "[core]\n\tbare = false\n[a]\n");
    assert_dropped("[core]\n\tworktree = ../x", "[core]\n");
    assert_dropped("[core]\n\tworktree = /x\n", "[core]\n\tworktree = /x\n");
    assert_dropped("[core]\n worktree = ../x\n", "[core]\n worktree = ../x\n");
    assert_dropped("[a]\n\tb = c\\\n\tworktree = ../x\n", "[a]\n\tb = c\\\n\tworktree = ../x\n");
    assert_dropped("", "");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gitfile/gitfiles", gitfiles);
    g_test_add_func("/gitfile/worktree-files", worktree_files);
    g_test_add_func("/gitfile/kinds", kinds);
    g_test_add_func("/gitfile/worktree-of-a-submodule", worktree_of_a_submodule);
    return g_test_run();
}
