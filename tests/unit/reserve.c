/* Which names the guard of a box takes for protected, and what it reads of a process. */
#include <glib.h>
#include <string.h>

#include "init/reserve_names.h"
#include "init/reserve_status.h"

static const char *const paths[] = {"/home/me/shop/.git/config", "/home/me/shop/.vscode",
                                    "/home/me/shop/.git/hooks"};
static const struct reserve_list list = {paths, G_N_ELEMENTS(paths)};

static enum reserve_relation relate(const char *folder, const char *name)
{
    return reserve_relate(&list, folder, name, strlen(name));
}

static void names(void)
{
    g_assert_cmpint(relate("/home/me/shop/.git", "config"), ==, RESERVE_WITHIN);
    g_assert_cmpint(relate("/home/me/shop", ".vscode"), ==, RESERVE_WITHIN);
    g_assert_cmpint(relate("/home/me/shop/.vscode", "tasks.json"), ==, RESERVE_WITHIN);
    g_assert_cmpint(relate("/home/me/shop/.vscode/a/b", "c"), ==, RESERVE_WITHIN);
    g_assert_cmpint(relate("/home/me/shop", ".git"), ==, RESERVE_ABOVE);
    g_assert_cmpint(relate("/home/me", "shop"), ==, RESERVE_ABOVE);
    g_assert_cmpint(relate("/", "home"), ==, RESERVE_ABOVE);
    g_assert_cmpint(relate("/home/me/shop", ".vscode2"), ==, RESERVE_FREE);
    g_assert_cmpint(relate("/home/me/shop", ".vscod"), ==, RESERVE_FREE);
    g_assert_cmpint(relate("/home/me/shop/.git", "index"), ==, RESERVE_FREE);
    g_assert_cmpint(relate("/home/me/shop/.git", "configs"), ==, RESERVE_FREE);
    g_assert_cmpint(relate("/home/me/shop2", ".vscode"), ==, RESERVE_FREE);
    g_assert_cmpint(relate("/", "h"), ==, RESERVE_FREE);
}

static void other_spellings(void)
{
    g_assert_cmpint(relate("/home/me/shop/.GIT", "Config"), ==, RESERVE_WITHIN);
    g_assert_cmpint(relate("/home/me/shop", ".Git"), ==, RESERVE_ABOVE);
    g_assert_cmpint(relate("/home/me/shop/.git", "config.lock"), ==, RESERVE_WITHIN);
    g_assert_cmpint(relate("/home/me/shop/.git", "config.lock2"), ==, RESERVE_FREE);
    g_assert_cmpint(relate("/home/me/shop/.git", "index.lock"), ==, RESERVE_FREE);
}

/* Bytes behind LENGTH are not of the name. */
static void length_counts(void)
{
    g_assert_cmpint(reserve_relate(&list, "/home/me/shop/.git", "config///", 6), ==,
                    RESERVE_WITHIN);
    g_assert_cmpint(reserve_relate(&list, "/home/me/shop/.git", "configure", 6), ==,
                    RESERVE_WITHIN);
    g_autofree char *name = g_strnfill(5000, 'a');
    g_assert_cmpint(relate("/home/me/shop", name), ==, RESERVE_FREE);
}

static void resemblance(void)
{
    g_assert_true(reserve_resembles(&list, "/src/shop/.git", "config", 6));
    g_assert_true(reserve_resembles(&list, "/src/shop/.vscode/x", "y", 1));
    g_assert_true(reserve_resembles(&list, "/elsewhere", ".VSCODE", 7));
    g_assert_false(reserve_resembles(&list, "/src/shop/.git", "index", 5));
    g_assert_false(reserve_resembles(&list, "/", "x", 1));
}

static const char status[] = "Name:\tcat\\nUid:\t7\nUmask:\t0027\nState:\tR (running)\nTgid:\t12\n"
                             "Pid:\t13\nUid:\t1000\t1000\t1000\t1001\nGid:\t100\t100\t100\t101\n"
                             "Groups:\t4 24 \nNSpid:\t12\t3\t1\nSigPnd:\t0000000000000001\n"
                             "ShdPnd:\t0000000000004000\nSigBlk:\t0000000000000001\n"
                             "SigCgt:\t0000000000006000\nCapEff:\t00000000000000ff\n";

static void process_status(void)
{
    struct reserve_status s;
    g_assert_cmpint(reserve_status_parse(&s, status), ==, 0);
    g_assert_cmpint(s.tgid, ==, 12);
    g_assert_cmpint(s.mask, ==, 027);
    g_assert_cmpuint(s.fsuid, ==, 1001);
    g_assert_cmpuint(s.fsgid, ==, 101);
    g_assert_cmpint(s.group_count, ==, 2);
    g_assert_cmpuint(s.groups[1], ==, 24);
    g_assert_cmpint(s.level_count, ==, 3);
    g_assert_cmpint(s.pids[2], ==, 1);
    g_assert_cmphex(s.caps, ==, 0xff);
    g_assert_cmphex(s.pending, ==, 0x4000);
    g_assert_cmphex(s.caught, ==, 0x6000);
    g_assert_cmpint(reserve_status_parse(&s, ""), ==, -1);
    for (gsize i = 0; i < strlen(status) - 20; i++) {
        g_autofree char *cut = g_strndup(status, i);
        g_assert_cmpint(reserve_status_parse(&s, cut), ==, -1);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/reserve/names", names);
    g_test_add_func("/reserve/other-spellings", other_spellings);
    g_test_add_func("/reserve/length", length_counts);
    g_test_add_func("/reserve/resemblance", resemblance);
    g_test_add_func("/reserve/status", process_status);
    return g_test_run();
}
