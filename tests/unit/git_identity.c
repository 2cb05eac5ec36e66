/* What a box gets of the user's git configuration. */
#include <glib.h>
#include <string.h>

#include "identity/git_identity.h"
#include "identity/git_settings.h"
#include "identity/host_keys.h"

#define KEY "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAw"

/* PATH, contents, … */
static char *read_table(const char *path, gsize *length, gpointer data)
{
    for (const char *const *file = data; file[0]; file += 2) {
        if (strcmp(file[0], path) != 0)
            continue;
        *length = strlen(file[1]);
        return g_strdup(file[1]);
    }
    return NULL;
}

static git_identity *read_files(const char *const *files)
{
    git_identity *self = git_identity_new();
    git_identity_source source = {read_table, (gpointer)files, "/home/me",
                                  "/home/me/work/shop/.git"};

    git_identity_add_file(self, files[0], &source);
    return self;
}

/* What a box gets for CONTENTS, without the lines that are always there. */
static char *result(const char *contents)
{
    const char *const files[] = {"/home/me/.gitconfig", contents, NULL};
    g_autoptr(git_identity) self = read_files(files);
    g_autofree char *text = git_identity_text(self, "/etc/gitconfig", TRUE);
    const char *start = strstr(text, "[include]\n\tpath = \"/etc/gitconfig\"\n");

    g_assert_nonnull(start);
    return g_strdup(start + strlen("[include]\n\tpath = \"/etc/gitconfig\"\n"));
}

static void assert_result(const char *contents, const char *expected)
{
    g_autofree char *got = result(contents);

    g_assert_cmpstr(got, ==, expected);
}

static void names_and_habits(void)
{
    assert_result(
        "[user]\n name = J\xc3\xb6rg \"\\\"\" \\\\\n email = a@example.org\n",
        "[user]\n\tname = \"J\xc3\xb6rg \\\" \\\\\"\n[user]\n\temail = \"a@example.org\"\n");
    assert_result("[user] name = a\n[USER] Name = b\n", "[user]\n\tname = \"b\"\n");
    assert_result("[pull]\nrebase\n[push]\nautoSetupRemote = yes\n[core]\nautocrlf = input\n",
                  "[pull]\n\trebase = \"true\"\n[push]\n\tautosetupremote = \"true\"\n"
                  "[core]\n\tautocrlf = \"input\"\n");
    assert_result("[merge]\nconflictStyle = zdiff3\n[diff]\ncolorMoved = no\n",
                  "[merge]\n\tconflictstyle = \"diff3\"\n[diff]\n\tcolormoved = \"no\"\n");
    assert_result("[color]\nui = always\n[color \"status\"]\nadded = red bold\n",
                  "[color]\n\tui = \"always\"\n[color \"status\"]\n\tadded = \"red bold\"\n");
    assert_result("[init]\ndefaultBranch = main\n", "[init]\n\tdefaultbranch = \"main\"\n");
}

static void nothing_else(void)
{
    static const char *const refused[] = {
        "[alias]\n\tst = status\n\tx = !rm -rf ~\n",
        "[credential]\n\thelper = store\n",
        "[credential \"https://example.org\"]\n\tusername = me\n",
        "[core]\n\tsshCommand = x\n\teditor = vim\n\thooksPath = ~/hooks\n\tfsmonitor = x\n",
        "[url \"https://token@example.org/\"]\n\tinsteadOf = https://example.org/\n",
        "[http]\n\textraHeader = Authorization: x\n",
        "[user]\n\tname\n",
        "[user]\n\tname = \n",
        "[user]\n\tname = \"a\\nb\"\n",
        "[user]\n\tname = a\x1b[2Jb\n",
        "[user]\n\tname = a\xe2\x80\256b\n",
        "[user]\n\tname = \xff\n",
        "[user \"x\"]\n\tname = a\n",
        "[user]\n\tsigningKey = ~/.ssh/missing\n",
        "[user]\n\tsigningKey = key::ssh-ed25519 AAAA\n",
        "[commit]\n\tgpgSign = true\n\ttemplate = ~/x\n",
        "[gpg]\n\tprogram = x\n\tformat = x\n",
        "[pull]\n\trebase = x\n",
        "[push]\n\tdefault = simple|matching\n",
        "[push]\n\tdefault = true\n",
        "[init]\n\tdefaultBranch = -x\n\ttemplateDir = ~/x\n",
        "[init]\n\tdefaultBranch = a b\n",
        "[color \"x y\"]\n\tui = always\n",
        "[color]\n\tui = $(x)\n",
        "[color]\n\tpager = \"!x\"\n",
    };

    for (gsize i = 0; i < G_N_ELEMENTS(refused); i++) {
        g_autofree char *got = result(refused[i]);
        if (*got)
            g_error("a box gets '%s' for '%s'", got, refused[i]);
    }
    GString *text = g_string_new("[user]\n\tname = ");
    for (int i = 0; i < 300; i++)
        g_string_append_c(text, 'x');
    assert_result(text->str, "");
    g_string_free(text, TRUE);
}

static void includes_of_the_user(void)
{
    static const char *const files[] = {
        "/home/me/.gitconfig",
        "[user]\n\tname = a\n[include]\n\tpath = more\n[include]\n\tpath = /abs\n"
        "[includeIf \"gitdir:~/work/\"]\n\tpath = ~/work.inc\n"
        "[includeIf \"gitdir:~/play/\"]\n\tpath = /play\n"
        "[includeIf \"hasconfig:remote.*.url:x\"]\n\tpath = /play\n"
        "[includeIf \"onbranch:main\"]\n\tpath = /play\n",
        "/home/me/more",
        "[color]\n\tui = false\n[include]\n\tpath = .gitconfig\n",
        "/abs",
        "[pull]\n\tff = only\n[alias]\n\tx = !y\n",
        "/home/me/work.inc",
        "[user]\n\temail = me@work.example\n",
        "/play",
        "[user]\n\temail = me@play.example\n",
        NULL,
    };
    g_autoptr(git_identity) self = read_files(files);
    g_autofree char *text = git_identity_text(self, "/x", TRUE);

    g_assert_nonnull(strstr(text, "[user]\n\temail = \"me@work.example\"\n"));
    g_assert_nonnull(strstr(text, "[pull]\n\tff = \"only\"\n"));
    g_assert_nonnull(strstr(text, "[color]\n\tui = \"false\"\n"));
    g_assert_null(strstr(text, "play"));
    g_assert_null(strstr(text, "alias"));
    g_assert_null(self->problem);
}

static void a_broken_file_is_told(void)
{
    static const char *const files[] = {"/home/me/.gitconfig",
                                        "[user]\n\tname = a\n[broken\n[user]\n\tname = b\n", NULL};
    g_autoptr(git_identity) self = read_files(files);

    g_assert_nonnull(strstr(self->problem, "/home/me/.gitconfig"));
}

static void keys_for_signatures(void)
{
    static const char *const files[] = {
        "/home/me/.gitconfig",
        "[user]\n\tsigningkey = ~/.ssh/id\n[gpg]\n\tformat = ssh\n",
        "/home/me/.ssh/id",
        "-----BEGIN OPENSSH PRIVATE KEY-----\nsecret\n",
        "/home/me/.ssh/id.pub",
        KEY " me@host\n",
        NULL,
    };
    g_autoptr(git_identity) self = read_files(files);
    g_autofree char *all = git_identity_text(self, "/x", TRUE);
    g_autofree char *without = git_identity_text(self, "/x", FALSE);

    g_assert_nonnull(strstr(all, "signingkey = \"key::" KEY "\"\n"));
    g_assert_nonnull(strstr(all, "[gpg]\n\tformat = \"ssh\"\n"));
    g_assert_null(strstr(without, "signingkey"));
    g_assert_null(strstr(without, "gpg"));
    assert_result("[user]\n\tsigningkey = 0xABCDEF0123456789\n",
                  "[user]\n\tsigningkey = \"0xABCDEF0123456789\"\n");
    assert_result("[user]\n\tsigningkey = " KEY " x\n",
                  "[user]\n\tsigningkey = \"key::" KEY "\"\n");
}

/* An image chooses it, by its variable GIT_CONFIG_SYSTEM. */
static void the_name_of_the_system_file_ends_no_line(void)
{
    g_autoptr(git_identity) self = git_identity_new();
    g_autofree char *text = git_identity_text(self, "/a\n[core]\n\tsshCommand = x\"\\", TRUE);

    g_assert_true(g_str_has_suffix(text, "path = \"/a\\n[core]\\n\tsshCommand = x\\\"\\\\\"\n"));
}

static void public_keys(void)
{
    g_autofree char *key = public_key_from_line(KEY "\tme");

    g_assert_cmpstr(key, ==, KEY);
    g_assert_null(public_key_from_line(""));
    g_assert_null(public_key_from_line("ssh-ed25519"));
    g_assert_null(public_key_from_line("ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAIDAwMDAwMDAw"));
    g_assert_null(public_key_from_line("-----BEGIN OPENSSH PRIVATE KEY-----"));
    g_assert_null(public_key_from_line("ssh-ed25519 $(x)"));
}

/* The left column as git 2.39 answers. */
static void conditions(void)
{
    static const struct {
        gboolean matches;
        const char *condition, *folder;
    } cases[] = {
        {TRUE, "gitdir:/home/me/work/", "/home/me/work/a/.git"},
        {TRUE, "gitdir:~/work/", "/home/me/work/a/b/.git"},
        {FALSE, "gitdir:~/work", "/home/me/work/a/.git"},
        {TRUE, "gitdir:work/", "/home/me/work/a/.git"},
        {TRUE, "gitdir:./work/", "/home/me/work/a/.git"},
        {TRUE, "gitdir:a/.git", "/home/me/work/a/.git"},
        {TRUE, "gitdir:/home/*/work/**", "/home/me/work/a/.git"},
        {FALSE, "gitdir:/home/*/a/.git", "/home/me/work/a/.git"},
        {TRUE, "gitdir:/home/**/a/.git", "/home/me/work/a/.git"},
        {TRUE, "gitdir:/home/m[a-f]/w?rk/", "/home/me/work/a/.git"},
        {FALSE, "gitdir:/home/m[!a-f]/work/", "/home/me/work/a/.git"},
        {FALSE, "gitdir:~/WORK/", "/home/me/work/a/.git"},
        {TRUE, "gitdir/i:~/WORK/", "/home/me/work/a/.git"},
        {FALSE, "gitdir:~/work.x/", "/home/me/work-x/a/.git"},
        {FALSE, "gitdir:[", "/home/me/work/a/.git"},
        {FALSE, "onbranch:main", "/home/me/work/a/.git"},
        {FALSE, "gitdir", "/home/me/work/a/.git"},
    };

    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
        if (git_condition_matches(cases[i].condition, cases[i].folder, "/home/me", "/home/me") !=
            cases[i].matches)
            g_error("wrong for '%s' and '%s'", cases[i].condition, cases[i].folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/git_identity/names", names_and_habits);
    g_test_add_func("/git_identity/nothing_else", nothing_else);
    g_test_add_func("/git_identity/includes", includes_of_the_user);
    g_test_add_func("/git_identity/broken", a_broken_file_is_told);
    g_test_add_func("/git_identity/signing", keys_for_signatures);
    g_test_add_func("/git_identity/system_file", the_name_of_the_system_file_ends_no_line);
    g_test_add_func("/git_identity/public_keys", public_keys);
    g_test_add_func("/git_identity/conditions", conditions);
    return g_test_run();
}
