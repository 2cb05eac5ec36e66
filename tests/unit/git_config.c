/* What a git configuration says, as the guard of a box reads it, and what it lets a box change. */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest/guard/git_config.h"
#include "proto/git_config_parser.h"

static gboolean harmless(const char *text, const char *known)
{
    char key[GIT_CONFIG_KEY_ROOM];
    return git_config_is_harmless(text, strlen(text), known, strlen(known), key);
}

static void harmless_and_harmful(void)
{
    static const char written[] =
        "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
        "[remote \"origin\"]\n\turl = git@example.org:me/x.git\n"
        "\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
        "[branch \"a/b\"]\n\tremote = origin\n\tmerge = refs/heads/a/b\n"
        "# a comment\n; another\n\n[user]\n\tname = J\xc3\xb6rg \"X\" # y\n"
        "[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\trequired = true\n";
    static const char *const harmful[] = {
        "[core]\n\tfsmonitor = x\n",
        "[core]\n\tworktree = /home/me\n",
        "[core] fsmonitor = x\n",
        "[core]\n\tbare = false \\\n",
        "[core]\n\tfile\\\nmode = true\n",
        "[core]\r\n\tbare = false\r\n",
        "[core \"x\"]\n\tbare = false\n",
        "[core.x]\n\tbare = false\n",
        "[core]x\n",
        "[core\n",
        "[]\n",
        "bare = false\n",
        "[include]\n\tpath = x\n",
        "[includeIf \"gitdir:/\"]\n\tpath = x\n",
        "[remote \"o\"]\n\turl = ext::sh -c x\n",
        "[remote \"o\"]\n\turl = -oProxyCommand=x\n",
        "[remote \"o\"]\n\turl = ssh://-oProxyCommand=x\n",
        "[remote \"o\"]\n\turl = a:-x\n",
        "[remote \"o\"]\n\tuploadpack = x\n",
        "[remote \"o\"]\n\tpromisor = true\n",
        "[remote \"o\" \"p\"]\n\turl = x\n",
        "[remote \"--upload-pack=./x\"]\n\turl = .\n",
        "[remote \"-u./x\"]\n\tfetch = +refs/heads/*:refs/remotes/x/*\n",
        "[remote \"ext::sh -c x\"]\n\tfetch = +refs/heads/*:refs/remotes/x/*\n",
        "[branch \"--x\"]\n\tremote = origin\n",
        "[submodule \"--x\"]\n\turl = https://example.org/x.git\n",
        "[filter \"lfs\"]\n\tclean = git-lfs clean -- %f && x\n",
        "[alias]\n\tst = !x\n",
        "[submodule \"x\"]\n\tupdate = !x\n",
    };
    g_assert_true(harmless("", ""));
    g_assert_true(harmless(written, ""));
    for (gsize i = 0; i < G_N_ELEMENTS(harmful); i++)
        if (harmless(harmful[i], ""))
            g_error("taken for harmless: %s", harmful[i]);
    char key[GIT_CONFIG_KEY_ROOM];
    g_assert_false(git_config_is_harmless("[core]\n\tbare = x\0\n", 18, "", 0, key));
    g_assert_true(harmless("[core]\n\tbare = false # x\n", ""));
    g_assert_true(harmless("\xef\xbb\xbf[core]\n\tbare = false\n", ""));
}

/* What the user has set there stays, in its order. */
static void entries_stay(void)
{
    static const char mine[] = "[core]\n\tfsmonitor = mine\n[alias]\n\tst = !mine\n";
    g_assert_true(harmless(mine, mine));
    g_assert_true(
        harmless("[core]\n\tfsmonitor = mine\n[alias]\n\tst = !mine\n[user]\n\tname = x\n", mine));
    g_assert_true(
        harmless("[core]\n\tbare = false\n\tfsmonitor = mine\n[alias]\n  st = !mine", mine));
    g_assert_false(harmless("[alias]\n\tst = !mine\n", mine));
    g_assert_false(harmless("[alias]\n\tst = !mine\n[core]\n\tfsmonitor = mine\n", mine));
    g_assert_false(harmless("[core]\n\tfsmonitor = mine\n\tst = !mine\n", mine));
    g_assert_false(harmless("[core]\n\tfsmonitor = mine2\n[alias]\n\tst = !mine\n", mine));
    g_assert_false(harmless("[core]\n\tfsmonitor = mine\n[alias]\n\tst = !mine2\n", mine));
    g_assert_false(harmless("", mine));
}

/* Backslashes, quotes and comments of the user's stay, and do not hide what comes next to them. */
static void odd_lines_stay(void)
{
    static const char mine[] = "# a \\\n[alias]\n\tx = \"!a; \\\"b\\\"\" \\\n\tc # d \\\n\ty = z\n";
    g_autofree char *more = g_strconcat(mine, "[user]\n\tname = x\n", NULL);
    g_autofree char *within = g_strconcat(
        "# a \\\n[alias]\n\tx = \"!a; \\\"b\\\"\" \\\nname = x\n\tc # d \\\n\ty = z\n", NULL);
    g_assert_true(harmless(more, mine));
    g_assert_true(harmless(mine, more));
    g_assert_false(harmless(within, mine));
    g_assert_false(harmless("[alias]\n\tx = \"!a; \\\"b\\\"\" \\\n\tc # d \\\n\ty = z2\n", mine));
    /* New ones have none. */
    g_assert_false(harmless("[user]\n\tname = a\\\nb\n", ""));
    g_assert_true(harmless("[user]\n\tname = \"a\"\n", ""));
}

static void key_is_said(void)
{
    char key[GIT_CONFIG_KEY_ROOM];
    static const char text[] = "[core]\n\tbare = false\n[Core]\n\tFSMonitor = x\n";
    g_assert_false(git_config_is_harmless(text, strlen(text), "", 0, key));
    g_assert_cmpstr(key, ==, "core.fsmonitor");
    g_assert_false(git_config_is_harmless("[core\n", 6, "", 0, key));
    g_assert_cmpstr(key, ==, "");
}

/* As `git config -z --list` prints it. NULL where a line is bad. */
static char *as_list(const char *text, gsize length)
{
    g_autofree struct git_config_parser *parser = g_new(struct git_config_parser, 1);
    GString *list = g_string_new(NULL);
    const struct git_config_entry *entry;
    git_config_parser_begin(parser, text, length);
    while ((entry = git_config_parser_next(parser))) {
        if (entry->section)
            g_string_append_printf(list, "%s.", entry->section);
        if (entry->name)
            g_string_append_printf(list, "%s.", entry->name);
        g_string_append(list, entry->key);
        if (entry->value)
            g_string_append_printf(list, "\n%s", entry->value);
        g_string_append_c(list, '\1');
    }
    return g_string_free(list, parser->has_failed);
}

static char *git_list(const char *file)
{
    const char *argv[] = {"git", "config", "-z", "--list", "--no-includes", "-f", file, NULL};
    int out, status;
    GPid pid;
    GString *list = g_string_new(NULL);
    char bytes[4096];
    g_assert_true(g_spawn_async_with_pipes("/", (char **)argv, NULL,
                                           G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD |
                                               G_SPAWN_STDERR_TO_DEV_NULL,
                                           NULL, NULL, &pid, NULL, &out, NULL, NULL));
    for (ssize_t n; (n = read(out, bytes, sizeof bytes)) > 0;)
        g_string_append_len(list, bytes, n);
    close(out);
    waitpid(pid, &status, 0);
    for (gsize i = 0; i < list->len; i++)
        list->str[i] = list->str[i] ? list->str[i] : '\1';
    return g_string_free(list, status != 0);
}

/* git before 2.45 makes a space of other blanks. */
static void blank(char *list)
{
    for (; list && *list; list++)
        *list = *list == '\t' || *list == '\r' ? ' ' : *list;
}

/* Pieces of configurations, put together at random. */
static void compare_with_git(void)
{
    static const char *const pieces[] = {"\nkey = value\n",
                                         "\n\tname = x y\n",
                                         "\n\tx = \"a # b\" c ; d\n",
                                         "\nalone\n",
                                         "\n",
                                         "\n",
                                         "[core]",
                                         "[Remote \"o\"]",
                                         "[a.B]",
                                         "[ \"x\"]",
                                         "[b \"\\\"c\\\\\"]",
                                         "# ",
                                         "; ",
                                         " ",
                                         "\t",
                                         "key = ",
                                         "a",
                                         "\\\n",
                                         "\\\r\n",
                                         "\\n",
                                         "\\t",
                                         "\\\"",
                                         "\\\\",
                                         "\xc3\xa9",
                                         ".",
                                         "=",
                                         "\r\n",
                                         "\r",
                                         "[]",
                                         "[",
                                         "]",
                                         "Key-2",
                                         "2",
                                         "\"",
                                         "\"",
                                         "\\",
                                         "\\x",
                                         "\xef\xbb\xbf",
                                         "\b",
                                         "\f"};
    const int usual = 29; /* of these more are taken, or no text were good */
    g_autofree char *folder = g_dir_make_tmp("git-config-XXXXXX", NULL);
    g_autofree char *file = g_build_filename(folder, "config", NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(1);
    int good = 0;
    for (int i = 0; i < 200; i++) {
        g_autoptr(GString) text = g_string_new(g_rand_boolean(random) ? "[core]\n" : NULL);
        for (int left = g_rand_int_range(random, 1, 14); left; left--)
            g_string_append(
                text, pieces[g_rand_int_range(random, 0, left % 4 ? usual : G_N_ELEMENTS(pieces))]);
        g_assert_true(g_file_set_contents(file, text->str, (gssize)text->len, NULL));
        g_autofree char *ours = as_list(text->str, text->len), *theirs = git_list(file);
        blank(ours);
        blank(theirs);
        if (g_strcmp0(ours, theirs) != 0) {
            g_autofree char *shown = g_strescape(text->str, NULL);
            g_error("of \"%s\" git reads \"%s\", and the guard \"%s\"", shown, theirs, ours);
        }
        good += ours != NULL;
    }
    g_assert_cmpint(good, >, 20);
    g_remove(file);
    g_rmdir(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/git-config/harmless-and-harmful", harmless_and_harmful);
    g_test_add_func("/git-config/entries-stay", entries_stay);
    g_test_add_func("/git-config/odd-lines-stay", odd_lines_stay);
    g_test_add_func("/git-config/key-is-said", key_is_said);
    g_test_add_func("/git-config/read-as-git-does", compare_with_git);
    return g_test_run();
}
