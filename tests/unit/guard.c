/* Which names the guard of a box takes for protected, and what it reads of a process. */
#include <glib.h>
#include <string.h>

#include "guest/guard/caller.h"
#include "guest/guard/git_names.h"
#include "guest/guard/name_folding.h"
#include "guest/guard/protected_names.h"

static const char *const paths[] = {"/home/me/shop/.git/config", "/home/me/shop/.vscode",
                                    "/home/me/shop/.git/hooks"};
static struct protected_names list;

static enum guard_relation relate(const char *folder, const char *name)
{
    return protected_names_relate(&list, folder, name, strlen(name));
}

static void names(void)
{
    g_assert_cmpint(relate("/home/me/shop/.git", "config"), ==, GUARD_WITHIN);
    g_assert_cmpint(relate("/home/me/shop", ".vscode"), ==, GUARD_WITHIN);
    g_assert_cmpint(relate("/home/me/shop/.vscode", "tasks.json"), ==, GUARD_WITHIN);
    g_assert_cmpint(relate("/home/me/shop/.vscode/a/b", "c"), ==, GUARD_WITHIN);
    g_assert_cmpint(relate("/home/me/shop", ".git"), ==, GUARD_ABOVE);
    g_assert_cmpint(relate("/home/me", "shop"), ==, GUARD_ABOVE);
    g_assert_cmpint(relate("/", "home"), ==, GUARD_ABOVE);
    g_assert_cmpint(relate("/home/me/shop", ".vscode2"), ==, GUARD_FREE);
    g_assert_cmpint(relate("/home/me/shop", ".vscod"), ==, GUARD_FREE);
    g_assert_cmpint(relate("/home/me/shop/.git", "index"), ==, GUARD_FREE);
    g_assert_cmpint(relate("/home/me/shop/.git", "configs"), ==, GUARD_FREE);
    g_assert_cmpint(relate("/home/me/shop2", ".vscode"), ==, GUARD_FREE);
    g_assert_cmpint(relate("/", "h"), ==, GUARD_FREE);
}

static void other_spellings(void)
{
    g_assert_cmpint(relate("/home/me/shop/.GIT", "Config"), ==, GUARD_WITHIN);
    g_assert_cmpint(relate("/home/me/shop", ".Git"), ==, GUARD_ABOVE);
    g_assert_cmpint(relate("/home/me/shop/.git", "config.lock"), ==, GUARD_WITHIN);
    g_assert_cmpint(relate("/home/me/shop/.git", "config.lock2"), ==, GUARD_FREE);
    g_assert_cmpint(relate("/home/me/shop/.git", "index.lock"), ==, GUARD_FREE);
}

static int same(const char *name, const char *wanted)
{
    return name_is_same(name, strlen(name), wanted, strlen(wanted));
}

static int may_hold(const char *wanted, const char *name)
{
    struct name_set set = {0};
    name_set_add(&set, wanted, strlen(wanted));
    return name_set_may_hold(&set, name, strlen(name));
}

static void sets_of_names(void)
{
    g_assert_true(may_hold(".git", ".GIT"));
    g_assert_true(may_hold(".git", ".github"));
    g_assert_true(may_hold(".git", "git~1"));
    g_assert_true(may_hold(".git", ".\u200dgit"));
    g_assert_false(may_hold(".git", ".env"));
    g_assert_false(may_hold(".git", "git"));
    g_assert_false(may_hold(".git", "."));
    g_assert_false(may_hold(".git", ""));
    g_assert_true(may_hold("a", "ab"));
    g_assert_true(may_hold("a.b", "a"));
    g_assert_false(may_hold("ab", "a"));
    g_assert_true(may_hold("\u00e9t", "x"));
}

/* What git looks for since CVE-2014-9390, and what casefolded ext4 takes for one. */
static void folding(void)
{
    static const char *const gits[] = {".git",
                                       ".GIT",
                                       ".gi\u200ct",
                                       "\ufeff.git",
                                       ".g\u202eit",
                                       ".git\u206f",
                                       ".git.",
                                       ".git ",
                                       ".git. .",
                                       "git~1",
                                       "GIT~1",
                                       "GIT~12",
                                       "gi7eba~1",
                                       "GI7D29~9",
                                       ".git::$INDEX_ALLOCATION",
                                       ".Git:whatever",
                                       "\u200d.\u200dgit"};
    static const char *const others[] = {
        "",      ".",          "..",          ".gi",     ".gitt",     "git",      "gitx~1",
        "git~",  "git~0",      "~1",          "git~1.x", "gi~1x",     "\xff.git", ".git\xe2",
        ":.git", ".gitignore", ".gitmodules", "gi7eb~1", ".g\u00efit"};
    for (gsize i = 0; i < G_N_ELEMENTS(gits); i++)
        g_assert_true(same(gits[i], ".git"));
    for (gsize i = 0; i < G_N_ELEMENTS(others); i++)
        g_assert_false(same(others[i], ".git"));
    g_assert_true(same("hoo\u212as", "hooks"));
    g_assert_true(same("hook\u017f", "hooks"));
    g_assert_true(same("con\ufb01g", "config"));
    g_assert_true(same("CON\ufb01G.lock", "config.lock"));
    g_assert_true(same("ru\ufb06-toolchain.toml", "rust-toolchain.toml"));
    g_assert_true(same("cla\u1e9e", "class"));
    g_assert_true(same("o\ufb03ce", "office"));
    g_assert_false(same("con\ufb02g", "config"));
    g_assert_false(same("con\ufb01", "config"));
    g_assert_false(same("con\ufb01g", "con"));
    g_assert_false(same("\ufb01", "f"));
    g_assert_true(same("LITTER~1.TOM", "litterbox.toml"));
    g_assert_true(same("lib4ac~1.tom", "litterbox.toml"));
    g_assert_false(same("LITTER~1", "litterbox.toml"));
    g_assert_true(same("VSCODE~1", ".vscode"));
    g_assert_true(same("MCP~1.JSO", ".mcp.json"));
    g_assert_false(same("mcp.json", ".mcp.json"));
    g_assert_cmpint(relate("/home/me/shop/GIT~1", "CONFIG"), ==, GUARD_WITHIN);
    g_assert_cmpint(relate("/home/me/shop/.g\u200cit/hook\u017f", "pre-commit"), ==, GUARD_WITHIN);
    g_assert_cmpint(relate("/home/me/shop", "GIT~1"), ==, GUARD_ABOVE);
    g_assert_cmpint(relate("/home/me/shop/.git", "con\ufb01g"), ==, GUARD_WITHIN);
    g_assert_cmpint(relate("/home/me/shop", ".gitignore"), ==, GUARD_FREE);
    g_assert_cmpint(relate("/home/me/shop", ".github"), ==, GUARD_FREE);
}

/* Names that editors and git write first, and rename then. */
static void on_the_way(void)
{
    static const char *const names[] = {"config.lock", "config.vsctmp",      "config___jb_tmp___",
                                        "Config.Lock", "config___jb_old___", "CONFIG~1.LOC"};
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
        g_assert_cmpint(relate("/home/me/shop/.git", names[i]), ==, GUARD_WITHIN);
    g_assert_cmpint(relate("/home/me/shop/.git.lock", "x"), ==, GUARD_FREE);
    g_assert_cmpint(relate("/home/me/shop/.git", "config.example"), ==, GUARD_FREE);
}

/* Bytes behind LENGTH are not of the name. */
static void length_counts(void)
{
    g_assert_cmpint(protected_names_relate(&list, "/home/me/shop/.git", "config///", 6), ==,
                    GUARD_WITHIN);
    g_assert_cmpint(protected_names_relate(&list, "/home/me/shop/.git", "configure", 6), ==,
                    GUARD_WITHIN);
    g_autofree char *name = g_strnfill(5000, 'a');
    g_assert_cmpint(relate("/home/me/shop", name), ==, GUARD_FREE);
    /* FAT drops the dots before it looks at the length. */
    g_autofree char *dots = g_strnfill(300, '.'), *vscode = g_strconcat(".vscode", dots, NULL);
    g_assert_cmpint(relate("/home/me/shop", vscode), ==, GUARD_WITHIN);
}

static void resemblance(void)
{
    g_assert_true(protected_names_resemble(&list, "/src/shop/.git", "config", 6));
    g_assert_true(protected_names_resemble(&list, "/src/shop/.vscode/x", "y", 1));
    g_assert_true(protected_names_resemble(&list, "/elsewhere", ".VSCODE", 7));
    g_assert_false(protected_names_resemble(&list, "/src/shop/.git", "index", 5));
    g_assert_false(protected_names_resemble(&list, "/", "x", 1));
}

static const char status_text[] =
    "Name:\tcat\\nUid:\t7\nUmask:\t0027\nState:\tR (running)\nTgid:\t12\n"
    "Pid:\t13\nUid:\t1000\t1000\t1000\t1001\nGid:\t100\t100\t100\t101\n"
    "Groups:\t4 24 \nNStgid:\t12\t2\t1\nNSpid:\t13\t3\t4\nThreads:\t2\nSigPnd:\t0000000000000001\n"
    "ShdPnd:\t0000000000004000\nSigBlk:\t0000000000000001\n"
    "SigCgt:\t0000000000006000\nCapEff:\t00000000000000ff\n";

static void process_status(void)
{
    struct guard_status s;
    g_assert_cmpint(guard_status_parse(&s, status_text), ==, 0);
    g_assert_cmpint(s.tgid, ==, 12);
    g_assert_cmpint(s.mask, ==, 027);
    g_assert_cmpuint(s.fsuid, ==, 1001);
    g_assert_cmpuint(s.fsgid, ==, 101);
    g_assert_cmpint(s.group_count, ==, 2);
    g_assert_cmpuint(s.groups[1], ==, 24);
    g_assert_cmpint(s.level_count, ==, 3);
    g_assert_cmpint(s.pids[2], ==, 4);
    g_assert_cmpint(s.own_tgid, ==, 1);
    g_assert_cmphex(s.caps, ==, 0xff);
    g_assert_cmpint(s.threads, ==, 2);
    g_assert_cmphex(s.pending, ==, 0);
    g_assert_cmphex(s.shared_pending, ==, 0x4000);
    g_assert_cmphex(s.caught, ==, 0x6000);
    g_assert_cmpint(guard_status_parse(&s, ""), ==, -1);
    for (gsize i = 0; i < strlen(status_text) - 20; i++) {
        g_autofree char *cut = g_strndup(status_text, i);
        g_assert_cmpint(guard_status_parse(&s, cut), ==, -1);
    }
}

static enum git_role role(const char *folder, const char *name)
{
    return git_names_role(folder, name, strlen(name));
}

static void git_roles(void)
{
    g_assert_cmpint(role("/shop", "file"), ==, GIT_NONE);
    g_assert_cmpint(role("/shop", "config"), ==, GIT_NONE);
    g_assert_cmpint(role("/shop/hooks", "pre-commit"), ==, GIT_NONE);
    g_assert_cmpint(role("/shop", ".git"), ==, GIT_FOLDER);
    g_assert_cmpint(role("/shop/a/b", ".GIT"), ==, GIT_FOLDER);
    g_assert_cmpint(role("/shop/.git", ".git"), ==, GIT_FOLDER);
    g_assert_cmpint(role("/shop/a", "HEAD"), ==, GIT_HEAD);
    g_assert_cmpint(role("/shop/a", "HEADER"), ==, GIT_NONE);
    g_assert_cmpint(role("/shop/.git", "HEAD"), ==, GIT_INSIDE);
    g_assert_cmpint(role("/shop/.git", "index"), ==, GIT_INSIDE);
    g_assert_cmpint(role("/shop/.git", "config"), ==, GIT_CONFIG);
    g_assert_cmpint(role("/shop/.git", "config.lock"), ==, GIT_LOCKFILE);
    g_assert_cmpint(role("/shop/.git/modules/x", "Config.worktree.lock"), ==, GIT_LOCKFILE);
    g_assert_cmpint(role("/shop/.git", "config.vsctmp"), ==, GIT_FORBIDDEN);
    g_assert_cmpint(role("/shop/.git", "index.lock"), ==, GIT_INSIDE);
    g_assert_cmpint(role("/shop/.git", "config.litterbox-12"), ==, GIT_CONFIG);
    g_assert_cmpint(role("/shop/.git", "con\ufb01g.litterbox-12"), ==, GIT_CONFIG);
    g_assert_cmpint(role("/shop/.git", "CONFIG~1.LIT"), ==, GIT_CONFIG);
    g_assert_cmpint(role("/shop/a", "config.litterbox-12"), ==, GIT_CONFIG);
    g_assert_cmpint(role("/shop/.git/refs/heads", "config.litterbox-12"), ==, GIT_CONFIG);
    g_assert_cmpint(role("/shop/a", "config.litterbox"), ==, GIT_NONE);
    g_assert_cmpint(role("/shop/a/.Git/modules/x", "Config.worktree"), ==, GIT_CONFIG);
    g_assert_cmpint(role("/shop/.git/worktrees/x", "commondir"), ==, GIT_WORKTREE_FILE);
    g_assert_cmpint(role("/shop/.git/modules/a/worktrees/x", "gitdir"), ==, GIT_WORKTREE_FILE);
    g_assert_cmpint(role("/shop/.git/worktrees", "commondir"), ==, GIT_FORBIDDEN);
    g_assert_cmpint(role("/shop/.git/worktrees/x/y", "commondir"), ==, GIT_FORBIDDEN);
    g_assert_cmpint(role("/shop/.git/refs/worktrees/x", "commondir"), ==, GIT_FORBIDDEN);
    g_assert_cmpint(role("/shop/worktrees/x", "commondir"), ==, GIT_NONE);
    g_assert_cmpint(role("/shop/.git", "commondir"), ==, GIT_FORBIDDEN);
    g_assert_cmpint(role("/shop/.git/hooks", "pre-commit"), ==, GIT_FORBIDDEN);
    g_assert_cmpint(role("/shop/.git/hooks", "pre-commit.sample"), ==, GIT_INSIDE);
    g_assert_cmpint(role("/shop/.git/hooks", ".sample"), ==, GIT_FORBIDDEN);
    /* Branches may be called like that. */
    g_assert_cmpint(role("/shop/.git/refs/heads", "config"), ==, GIT_INSIDE);
    g_assert_cmpint(role("/shop/.git/logs/refs/heads/hooks", "x"), ==, GIT_INSIDE);
    g_assert_cmpint(role("/shop/.git/refs/heads", "objects"), ==, GIT_FORBIDDEN);
    g_assert_cmpint(role("/shop/.git/refs/x/.git", "config"), ==, GIT_CONFIG);
    g_assert_cmpint(git_names_strictest("post-merge", 10), ==, GIT_FORBIDDEN);
    g_assert_cmpint(git_names_role_beside_head(0, "config", 6), ==, GIT_CONFIG);
    g_assert_cmpint(git_names_role_beside_head(0, "config.lock", 11), ==, GIT_LOCKFILE);
    g_assert_cmpint(git_names_role_beside_head(0, "hooks", 5), ==, GIT_INSIDE);
    g_assert_cmpint(git_names_role_beside_head(0, "file", 4), ==, GIT_NONE);
    g_assert_cmpint(git_names_role_beside_head(1, "update", 6), ==, GIT_FORBIDDEN);
    g_assert_cmpint(git_names_strictest("HEAD", 4), ==, GIT_FORBIDDEN);
}

static void git_folders(void)
{
    static const char *const roots[] = {"/home/me/shop", "/home/me/main/.git"};
    g_assert_cmpstr(git_names_below("/home/me/shop", roots, 2), ==, "/shop");
    g_assert_cmpstr(git_names_below("/home/me/shop/a/b", roots, 2), ==, "/shop/a/b");
    g_assert_cmpstr(git_names_below("/home/me/main/.git/refs", roots, 2), ==, "/.git/refs");
    g_assert_null(git_names_below("/home/me/shop2", roots, 2));
    g_assert_null(git_names_below("/home/me", roots, 2));
    g_assert_true(git_names_is_probe("tAb12xY", 7, "testing"));
    g_assert_false(git_names_is_probe("tAb12xY", 7, "testing/x"));
    g_assert_false(git_names_is_probe("index", 5, "testing"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/guard/names", names);
    g_test_add_func("/guard/other-spellings", other_spellings);
    g_test_add_func("/guard/sets-of-names", sets_of_names);
    g_test_add_func("/guard/folding", folding);
    g_test_add_func("/guard/on-the-way", on_the_way);
    g_test_add_func("/guard/length", length_counts);
    g_test_add_func("/guard/resemblance", resemblance);
    g_test_add_func("/guard/status", process_status);
    g_test_add_func("/guard/git-roles", git_roles);
    g_test_add_func("/guard/git-folders", git_folders);
    g_assert_cmpint(protected_names_compile(&list, paths, G_N_ELEMENTS(paths)), ==, 0);
    int status = g_test_run();
    protected_names_release(&list);
    return status;
}
