/* Which names the guard of a box takes for protected, and what it reads of a process. */
#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <unistd.h>

#include "guest/guard/fold.h"
#include "guest/guard/names.h"
#include "guest/guard/seat.h"
#include "guest/guard/status.h"

static const char *const paths[] = {"/home/me/shop/.git/config", "/home/me/shop/.vscode",
                                    "/home/me/shop/.git/hooks"};
static const struct guard_list list = {paths, G_N_ELEMENTS(paths)};

static enum guard_relation relate(const char *folder, const char *name)
{
    return guard_relate(&list, folder, name, strlen(name));
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
    return guard_fold_same(name, strlen(name), wanted, strlen(wanted));
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
    g_assert_true(same("LITTER~1.TOM", "litterbox.toml"));
    g_assert_true(same("lib4ac~1.tom", "litterbox.toml"));
    g_assert_false(same("LITTER~1", "litterbox.toml"));
    g_assert_true(same("VSCODE~1", ".vscode"));
    g_assert_true(same("MCP~1.JSO", ".mcp.json"));
    g_assert_false(same("mcp.json", ".mcp.json"));
    g_assert_cmpint(relate("/home/me/shop/GIT~1", "CONFIG"), ==, GUARD_WITHIN);
    g_assert_cmpint(relate("/home/me/shop/.g\u200cit/hook\u017f", "pre-commit"), ==, GUARD_WITHIN);
    g_assert_cmpint(relate("/home/me/shop", "GIT~1"), ==, GUARD_ABOVE);
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
    g_assert_cmpint(guard_relate(&list, "/home/me/shop/.git", "config///", 6), ==, GUARD_WITHIN);
    g_assert_cmpint(guard_relate(&list, "/home/me/shop/.git", "configure", 6), ==, GUARD_WITHIN);
    g_autofree char *name = g_strnfill(5000, 'a');
    g_assert_cmpint(relate("/home/me/shop", name), ==, GUARD_FREE);
}

static void resemblance(void)
{
    g_assert_true(guard_resembles(&list, "/src/shop/.git", "config", 6));
    g_assert_true(guard_resembles(&list, "/src/shop/.vscode/x", "y", 1));
    g_assert_true(guard_resembles(&list, "/elsewhere", ".VSCODE", 7));
    g_assert_false(guard_resembles(&list, "/src/shop/.git", "index", 5));
    g_assert_false(guard_resembles(&list, "/", "x", 1));
}

static const char status[] = "Name:\tcat\\nUid:\t7\nUmask:\t0027\nState:\tR (running)\nTgid:\t12\n"
                             "Pid:\t13\nUid:\t1000\t1000\t1000\t1001\nGid:\t100\t100\t100\t101\n"
                             "Groups:\t4 24 \nNSpid:\t12\t3\t1\nSigPnd:\t0000000000000001\n"
                             "ShdPnd:\t0000000000004000\nSigBlk:\t0000000000000001\n"
                             "SigCgt:\t0000000000006000\nCapEff:\t00000000000000ff\n";

static void process_status(void)
{
    struct guard_status s;
    g_assert_cmpint(guard_status_parse(&s, status), ==, 0);
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
    g_assert_cmpint(guard_status_parse(&s, ""), ==, -1);
    for (gsize i = 0; i < strlen(status) - 20; i++) {
        g_autofree char *cut = g_strndup(status, i);
        g_assert_cmpint(guard_status_parse(&s, cut), ==, -1);
    }
}

static int a_file(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    g_assert_cmpint(fd, >=, 0);
    return fd;
}

static gboolean is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

static void seats_last_one_closes(void)
{
    uint64_t ticket;
    int fd = a_file();
    g_assert_cmpint(guard_seat_take(fd, &ticket), ==, 0);
    g_assert_cmpint(guard_seat_listener(ticket), ==, fd);
    g_assert_true(guard_seat_enter(ticket));
    g_assert_true(guard_seat_drop(ticket));
    g_assert_false(guard_seat_drop(ticket));
    guard_seat_leave(ticket); /* who dropped */
    g_assert_true(is_open(fd));
    guard_seat_leave(ticket); /* who had entered */
    g_assert_false(is_open(fd));
}

/* Told of an end twice, the second time late: the number is another session's by then. */
static void seats_old_ticket(void)
{
    uint64_t old, ticket;
    int fd = a_file();
    g_assert_cmpint(guard_seat_take(fd, &old), ==, 0);
    g_assert_true(guard_seat_drop(old));
    guard_seat_leave(old);
    g_assert_cmpint(a_file(), ==, fd);
    g_assert_cmpint(guard_seat_take(fd, &ticket), ==, 0);
    g_assert_false(guard_seat_drop(old));
    g_assert_false(guard_seat_enter(old));
    g_assert_true(is_open(fd));
    g_assert_true(guard_seat_enter(ticket));
    g_assert_true(guard_seat_wait(ticket));
    guard_seat_waited(ticket);
    g_assert_true(guard_seat_drop(ticket));
    guard_seat_leave(ticket);
    guard_seat_leave(ticket);
    g_assert_false(is_open(fd));
}

static void seats_one_waits(void)
{
    uint64_t ticket;
    g_assert_cmpint(guard_seat_take(a_file(), &ticket), ==, 0);
    g_assert_true(guard_seat_wait(ticket));
    g_assert_cmpint(guard_seat_waiter(ticket), ==, getpid());
    g_assert_false(guard_seat_wait(ticket));
    guard_seat_waited(ticket);
    g_assert_cmpint(guard_seat_waiter(ticket), ==, 0);
    g_assert_true(guard_seat_drop(ticket));
    g_assert_false(guard_seat_wait(ticket)); /* nobody would call it off */
    g_assert_cmpint(guard_seat_waiter(ticket), ==, 0);
    guard_seat_leave(ticket);
}

static void seats_are_few(void)
{
    uint64_t ticket;
    g_assert_cmpint(guard_seat_take(GUARD_SEATS_MAX, &ticket), ==, -1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/reserve/names", names);
    g_test_add_func("/reserve/other-spellings", other_spellings);
    g_test_add_func("/reserve/folding", folding);
    g_test_add_func("/reserve/on-the-way", on_the_way);
    g_test_add_func("/reserve/length", length_counts);
    g_test_add_func("/reserve/resemblance", resemblance);
    g_test_add_func("/reserve/status", process_status);
    g_assert_cmpint(guard_seat_begin(), ==, 0);
    g_test_add_func("/reserve/seats/last-one-closes", seats_last_one_closes);
    g_test_add_func("/reserve/seats/old-ticket", seats_old_ticket);
    g_test_add_func("/reserve/seats/one-waits", seats_one_waits);
    g_test_add_func("/reserve/seats/are-few", seats_are_few);
    return g_test_run();
}
