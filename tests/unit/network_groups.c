/* Groups of [network] allow and deny: their files, the user's own in place of the installed ones,
 * and names in other letters than ASCII. */
#include "config/network_groups.h"

#include <glib/gstdio.h>
#include <string.h>

#include "common/fs.h"
#include "common/paths.h"
#include "config/check.h"

static void put(const char *name, const char *text)
{
    g_autofree char *tail = g_strdup_printf("network/%s.toml", name);
    g_autofree char *path = paths_config(tail);
    g_autofree char *folder = g_path_get_dirname(path);
    g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

static void assert_rules(const char *entry, gboolean denies, const char *expected)
{
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) rules = network_group_read(entry, denies, &error);
    g_assert_no_error(error);
    g_autofree char *got = g_strjoinv(" ", rules);
    g_assert_cmpstr(got, ==, expected);
}

static void assert_fails(const char *entry, const char *why)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(network_group_read(entry, FALSE, &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_CONFIG);
    if (!strstr(error->message, why))
        g_error("%s", error->message);
}

static void files_are_read(void)
{
    put("mine",
        "# two\nhosts = [\"API.Example.com:443\", \"*.example.com:8080\", \"10.0.0.5:80\"]\n");
    assert_rules("@mine", FALSE, "api.example.com *.example.com:8080 10.0.0.5:80");
    assert_rules("@mine", TRUE, "api.example.com:443 *.example.com:8080 10.0.0.5:80");
    put("empty", "hosts = []\n");
    assert_rules("@empty", FALSE, "");
    put("both", "hosts = [\"@mine\", \"b.example.com\", \"@apt\"]\n");
    assert_rules("@both", FALSE,
                 "api.example.com *.example.com:8080 10.0.0.5:80 b.example.com @apt");
    put("deep", "hosts = [\"@both\"]\n");
    assert_fails("@deep", "may name no further group");
    assert_fails("@missing", "there is no group '@missing'");
    assert_fails("@missing", "@mine");
}

/* A group that is computed for each box, unless the user has a file for it. */
static void computed_ones_stand_for_themselves(void)
{
    assert_rules("@apt", FALSE, "@apt");
    g_assert_true(network_group_is_computed("@npm"));
    g_assert_false(network_group_is_computed("@mine"));
    put("npm", "hosts = [\"packages.example.org\"]\n");
    assert_rules("@npm", FALSE, "packages.example.org");
    g_assert_false(network_group_is_computed("@npm"));
}

static void broken_files_are_errors(void)
{
    static const struct {
        const char *text, *why;
    } table[] = {
        {"", "a group has one key"},
        {"hosts = \"a.example.com\"\n", "a group has one key"},
        {"hosts = []\nmode = \"open\"\n", "a group has one key"},
        {"[network]\nallow = []\n", "a group has one key"},
        {"hosts = [\"localhost\"]\n", "'localhost' must be"},
        {"hosts = [\"a.example.com\", 3]\n", "must be a rule"},
        {"hosts = [\"a\\u0000.example.com\"]\n", "must be a rule"},
        {"hosts = [\"@../mine\"]\n", "must name a group"},
        {"hosts = [", "broken.toml:1:"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(table); i++) {
        put("broken", table[i].text);
        assert_fails("@broken", table[i].why);
    }
    g_autoptr(GString) many = g_string_new("hosts = [");
    for (int i = 0; i < 300; i++)
        g_string_append_printf(many, "\"h%d.example.com\", ", i);
    g_string_append(many, "]\n");
    put("broken", many->str);
    assert_fails("@broken", "at most 256 rules");
    put("broken", "hosts = []\n");
}

static void names_of_groups(void)
{
    static const char *const wrong_names[] = {"@",       "@A",   "@a.b",   "@-a",
                                              "@a/../b", "@a b", "@a:443", "@a@b"};
    const char *why = NULL;
    for (gsize i = 0; i < G_N_ELEMENTS(wrong_names); i++) {
        g_assert_null(check_allow(wrong_names[i], &why));
        g_assert_null(check_deny(wrong_names[i], &why));
    }
    g_autofree char *longest = g_strnfill(65, 'a');
    longest[0] = '@';
    g_assert_null(check_allow(longest, &why));
    g_autoptr(GError) error = NULL;
    g_assert_null(network_group_read("@../config", FALSE, &error));
    g_auto(GStrv) names = network_group_names();
    g_assert_true(g_strv_contains((const char *const *)names, "@mine"));
    g_assert_true(g_strv_contains((const char *const *)names, "@apt"));
}

/* The message has the form that is compared; where it would be another name, it has none. */
static void other_letters_are_refused(void)
{
    static const struct {
        const char *text, *why;
    } table[] = {
        {"m\xc3\xbcnchen.de", "write \"xn--mnchen-3ya.de\""},
        {"M\xc3\x9cNCHEN.de:8443", "write \"xn--mnchen-3ya.de:8443\""},
        {"*.m\xc3\xbcnchen.de", "write \"*.xn--mnchen-3ya.de\""},
        {"\xd0\xb0pple.com", "write \"xn--pple-43d.com\""}, /* Cyrillic a */
        {"a\xe2\x80\x8d"
         "b.com",
         "write the name with"},                           /* a joiner, left out by one of them */
        {"ex\xef\xbd\x81mple.com", "write the name with"}, /* a wide letter */
        {"a\xe3\x80\x82"
         "com",
         "write the name with"}, /* another dot */
        {"\xff.com", "write the name with"},
        {"\xe2\x91\xa0.com", "write the name with"}, /* a digit in a circle */
    };
    for (gsize i = 0; i < G_N_ELEMENTS(table); i++) {
        const char *why = NULL;
        g_assert_null(check_allow(table[i].text, &why));
        if (!strstr(why, table[i].why))
            g_error("%s: %s", table[i].text, why);
    }
}

/* Those that are installed: each can be read, and begins with a line that says what it is for. */
static void installed_groups_are_right(void)
{
    const char *folder = g_getenv("LITTERBOX_GROUPS");
    g_autoptr(GDir) files = g_dir_open(folder, 0, NULL);
    guint count = 0;
    for (const char *name; (name = g_dir_read_name(files)); count++) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        g_autofree char *text = fs_read_text(path, 64 * 1024);
        g_autoptr(GError) error = NULL;
        g_auto(GStrv) rules = network_group_parse(path, text, strlen(text), FALSE, &error);
        g_assert_no_error(error);
        g_assert_true(g_str_has_prefix(text, "# "));
        for (char **rule = rules; *rule; rule++)
            g_assert_true(strstr(text, *rule) && !strchr(*rule, '*'));
    }
    g_assert_cmpuint(count, >=, 10);
}

int main(int argc, char **argv)
{
    g_autofree char *root = g_dir_make_tmp("groups-XXXXXX", NULL);
    g_setenv("XDG_CONFIG_HOME", root, TRUE);
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/network_groups/files", files_are_read);
    g_test_add_func("/network_groups/computed", computed_ones_stand_for_themselves);
    g_test_add_func("/network_groups/broken", broken_files_are_errors);
    g_test_add_func("/network_groups/names", names_of_groups);
    g_test_add_func("/network_groups/idna", other_letters_are_refused);
    g_test_add_func("/network_groups/installed", installed_groups_are_right);
    int status = g_test_run();
    fs_remove_tree(root, NULL);
    return status;
}
