/* What the definition of a secret says about a file of the box's home, and what is refused. */
#include <glib.h>
#include <string.h>

#include "common/error.h"
#include "common/fs.h"
#include "common/paths.h"
#include "config/secret_file.h"

static const char *const hosts[] = {"api.example.com", NULL};

static secret_definition *define(const char *file, const char *text, GError **error)
{
    const secret_texts texts = {.name = "api", .hosts = hosts, .file = file, .file_text = text};
    return secret_definition_new(&texts, error);
}

static void paths(void)
{
    g_autofree char *absolute = g_build_filename(paths_home(), ".config/gh/hosts.yml", NULL);
    const char *const rows[][2] = {{"~/.npmrc", ".npmrc"},
                                   {".npmrc", ".npmrc"},
                                   {"./a//b c/@d+", "a/b c/@d+"},
                                   {absolute, ".config/gh/hosts.yml"}};
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(secret_definition) read = define(rows[i][0], NULL, &error);
        g_assert_no_error(error);
        g_assert_cmpstr(read->file, ==, rows[i][1]);
    }
}

static void odd_paths(void)
{
    g_autofree char *outside = g_strconcat(paths_home(), "-other/file", NULL);
    g_autofree char *above = g_strconcat(paths_home(), "/../file", NULL);
    g_autofree char *doubled = g_strconcat(paths_home(), "//etc/file", NULL);
    g_autofree char *long_one = g_strnfill(300, 'x');
    g_autofree char *deep = g_strnfill(200, 'x'), *deeper = g_strconcat(deep, "/", deep, NULL);
    const char *const rows[] = {
        "",          "~",     "~/",   ".",         "/etc/passwd", "../x",  "~/a/../b", "a/..", "a/",
        "~root/x",   "a\nb",  "a\tb", "a\033[31m", "a\"b",        "a\\b",  "$HOME/x",  "a;b",  "a*",
        "a\xc3\xa4", "a\x7f", "a'b",  outside,     above,         doubled, long_one,   deeper};
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(secret_definition) read = define(rows[i], NULL, &error);
        if (read)
            g_error("'%s' passed", rows[i]);
        g_assert_error(error, BOX_ERROR, BOX_ERROR_CONFIG);
        g_assert_true(g_str_has_prefix(error->message, "file: "));
    }
}

static void contents(void)
{
    const char *const rows[][2] = {
        {NULL, "PLACEHOLDER\n"},
        {"{}", "PLACEHOLDER\n"},
        {"//npm.example.com/:_authToken={}\n", "//npm.example.com/:_authToken=PLACEHOLDER\n"},
        {"machine a\n\tpassword {}\nmachine b", "machine a\n\tpassword PLACEHOLDER\nmachine b\n"},
        {"100% {} %s {", "100% PLACEHOLDER %s {\n"}};
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(secret_definition) read = define(".file", rows[i][0], &error);
        g_assert_no_error(error);
        g_autofree char *content = secret_file_content(read, "PLACEHOLDER");
        g_assert_cmpstr(content, ==, rows[i][1]);
    }
}

static void odd_contents(void)
{
    g_autofree char *filler = g_strnfill(4096, 'x'), *long_one = g_strconcat("{}", filler, NULL);
    const char *const rows[] = {"",        "no mark", "{} and {}",  "%s",     "{name}",
                                "a\033{}", "a\r\n{}", "\xc3\xa4{}", "{}\x7f", long_one};
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(secret_definition) read = define(".file", rows[i], &error);
        if (read)
            g_error("'%s' passed", rows[i]);
        g_assert_error(error, BOX_ERROR, BOX_ERROR_CONFIG);
        g_assert_true(g_str_has_prefix(error->message, "file_text: "));
    }
}

/* What nothing would obey is refused. */
static void combinations(void)
{
    const secret_texts rows[] = {{.name = "api", .hosts = hosts, .file_text = "x {}"},
                                 {.name = "api", .hosts = hosts, .as = "sigv4", .file = ".aws"},
                                 {.name = "api", .login = "claude", .file = ".file"},
                                 {.name = "api", .login = "claude", .file_text = "{}"}};
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_null(secret_definition_new(&rows[i], &error));
        g_assert_error(error, BOX_ERROR, BOX_ERROR_CONFIG);
    }
}

static const char *common(const secret_texts *first, const secret_texts *second)
{
    g_autoptr(secret_definition) a = secret_definition_new(first, NULL);
    g_autoptr(secret_definition) b = secret_definition_new(second, NULL);
    const char *forth = secret_common_variable(a, b), *back = secret_common_variable(b, a);
    g_assert_cmpstr(forth, ==, back);
    return g_intern_string(forth);
}

static void one_file_of_two(void)
{
    const secret_texts one = {.name = "a", .hosts = hosts, .file = "~/.x/y"},
                       same = {.name = "b", .hosts = hosts, .file = ".x//y"},
                       other = {.name = "b", .hosts = hosts, .file = ".x/z"},
                       none = {.name = "b", .hosts = hosts},
                       login = {.name = "c", .login = "claude"},
                       state = {.name = "d", .hosts = hosts, .file = ".claude.json"};
    g_assert_cmpstr(common(&one, &same), ==, ".x/y");
    g_assert_null(common(&one, &other));
    g_assert_null(common(&one, &none));
    g_assert_null(common(&one, &login));
    g_assert_cmpstr(common(&login, &state), ==, ".claude.json");
}

static void written_and_read(void)
{
    const secret_texts texts = {.name = "api",
                                .hosts = hosts,
                                .file = "~/.netrc",
                                .file_text = "machine \"a\\b\"\n\tpassword {}\n"};
    g_autoptr(GError) error = NULL;
    g_assert_true(secret_file_write(&texts, &error));
    g_autoptr(secret_definition) read = secret_file_read("api", &error);
    g_assert_no_error(error);
    g_assert_cmpstr(read->file, ==, ".netrc");
    g_assert_cmpstr(read->file_text, ==, texts.file_text);
    g_assert_true(secret_file_remove("api", &error));
}

int main(int argc, char **argv)
{
    g_autofree char *root = g_dir_make_tmp("litterbox-secret-XXXXXX", NULL);
    g_setenv("XDG_CONFIG_HOME", root, TRUE);
    g_setenv("XDG_DATA_HOME", root, TRUE);
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/secret_definition/paths", paths);
    g_test_add_func("/secret_definition/odd_paths", odd_paths);
    g_test_add_func("/secret_definition/contents", contents);
    g_test_add_func("/secret_definition/odd_contents", odd_contents);
    g_test_add_func("/secret_definition/combinations", combinations);
    g_test_add_func("/secret_definition/one_file_of_two", one_file_of_two);
    g_test_add_func("/secret_definition/written_and_read", written_and_read);
    int result = g_test_run();
    fs_remove_tree(root, NULL);
    return result;
}
