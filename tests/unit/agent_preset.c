/* Presets of AI agents: what they may say, the user's own in place of the installed ones, and the
 * command line and variables that come of them. */
#include "config/agent_preset.h"

#include <glib/gstdio.h>
#include <string.h>

#include "common/fs.h"
#include "common/paths.h"

#define LEAST "package = \"a\"\nprogram = \"a\"\n"

static agent_preset *parse(const char *text, GError **error)
{
    return agent_preset_parse("tool", "tool.toml", text, strlen(text), error);
}

static void assert_words(char *const *words, const char *expected)
{
    g_autofree char *joined = words ? g_strjoinv(" ", (char **)words) : NULL;
    g_assert_cmpstr(joined, ==, expected);
}

static void all_keys(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(agent_preset) self =
        parse("package = \"@example/agent\"\nversion = \"^2.1 || beta\"\nprogram = \"agent\"\n"
              "network = [\"@anthropic\", \"API.example.com\"]\n"
              "login = [\"~/.agent/a.json\", \".b\"]\nlogin_by = [\"secret\", \"device\"]\n"
              "pictures = \"wl-paste\"\n"
              "home = [\"~/.agent\"]\nshare = [\".agent/x\"]\ninstall_network = [\"@github\"]\n"
              "arguments = [\"--quiet\", \"\"]\n"
              "env = { UPDATES = \"0\" }\n[no_ask]\narguments = [\"--yes\"]\nenv.YES = \"a b\"\n"
              "[ask]\nenv = { YES = \"no\" }\n",
              &error);
    g_assert_no_error(error);
    g_autofree char *package = agent_preset_package(self);
    g_assert_cmpstr(package, ==, "@example/agent@^2.1 || beta");
    assert_words(self->network, "@anthropic api.example.com");
    assert_words(self->login, "~/.agent/a.json ~/.b");
    assert_words(self->login_by, "secret device");
    g_assert_cmpstr(self->pictures, ==, "wl-paste");
    assert_words(self->home, "~/.agent");
    assert_words(self->share, "~/.agent/x");
    assert_words(self->install_network, "@github");
    g_assert_null(self->install);
    char *rest[] = {(char *)"-p", (char *)"hello", NULL};
    g_auto(GStrv) usual = agent_preset_command(self, FALSE, "/x", "/p", rest);
    assert_words(usual, "/x --quiet  --yes -p hello");
    g_auto(GStrv) asks = agent_preset_command(self, TRUE, "/x", "/p", NULL);
    assert_words(asks, "/x --quiet ");
    g_auto(GStrv) env = agent_preset_env(self, FALSE);
    assert_words(env, "UPDATES=0 YES=a b");
    g_auto(GStrv) other = agent_preset_env(self, TRUE);
    assert_words(other, "UPDATES=0 YES=no");
}

static void arguments_name_the_project(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(agent_preset) self = parse(
        LEAST "arguments = [\"{project}\", \"a{project}{project}b{Project}\", \"\"]\n", &error);
    g_assert_no_error(error);
    char *rest[] = {(char *)"{project}", NULL};
    g_auto(GStrv) command = agent_preset_command(self, FALSE, "/x", "/a b", rest);
    g_assert_cmpuint(g_strv_length(command), ==, 5);
    assert_words(command, "/x /a b a/a b/a bb{Project}  {project}");
    g_auto(GStrv) escaped = agent_preset_command(self, FALSE, "/x", "/a\"b\\\n", NULL);
    g_assert_cmpstr(escaped[1], ==, "/a\\\"b\\\\\\n");
}

static void variables_name_the_files(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(agent_preset) self =
        parse(LEAST "env = { A = \"{files}/a.json\", B = \"{files}{project}\" }\n"
                    "[files]\n\"a.json\" = '{\"a=b\": \"{files}\"}'\nempty = \"\"\n"
                    "\"~/.a//b\" = \"c=d\"\n",
              &error);
    g_assert_no_error(error);
    g_autofree char *folder = agent_preset_folder(self);
    g_assert_cmpstr(folder, ==, "/run/litterbox-agents/tool");
    g_auto(GStrv) env = agent_preset_env(self, FALSE);
    assert_words(env, "A=/run/litterbox-agents/tool/a.json B=/run/litterbox-agents/tool{project}");
    assert_words(self->files, "a.json={\"a=b\": \"{files}\"} empty= ~/.a/b=c=d");
}

static void least_keys(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(agent_preset) self = parse(LEAST, &error);
    g_assert_no_error(error);
    g_autofree char *package = agent_preset_package(self);
    g_assert_cmpstr(package, ==, "a");
    g_auto(GStrv) command = agent_preset_command(self, FALSE, "/x", "/p", NULL);
    assert_words(command, "/x");
    g_auto(GStrv) env = agent_preset_env(self, TRUE);
    assert_words(env, "");
    g_assert_null(self->network);
    g_autoptr(agent_preset) path =
        parse("package = \"/srv//a@1/b.tgz\"\nprogram = \"a.b_c-d\"\n", &error);
    g_assert_no_error(error);
    g_assert_cmpstr(path->package, ==, "/srv/a@1/b.tgz");
    g_autoptr(agent_preset) script = parse(
        "install = \"\"\"\ncp $VERSION\n\"\"\"\nversion = \"1.2\"\nprogram = \"a\"\n", &error);
    g_assert_no_error(error);
    g_assert_cmpstr(script->install, ==, "cp $VERSION\n");
    g_assert_null(script->package);
    g_autofree char *none = agent_preset_package(script);
    g_assert_cmpstr(none, ==, "-");
}

static void assert_refused(const char *text, const char *why)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(parse(text, &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_CONFIG);
    if (!g_str_has_prefix(error->message, "tool.toml:") || !strstr(error->message, why))
        g_error("%s: %s", text, error->message);
}

static void broken_files_are_errors(void)
{
    static const struct {
        const char *text, *why;
    } table[] = {
        {"", "needs 'program', and 'package' or 'install'"},
        {"package = \"a\"\n", "needs 'program', and"},
        {"program = \"a\"\n", "needs 'program', and"},
        {LEAST "install = \"true\"\n", "has either 'package' or 'install'"},
        {LEAST "install = [\"true\"]\n", "install must be a text"},
        {LEAST "install_network = [\"localhost\"]\n", "install_network: 'localhost' must"},
        {LEAST "login_by = [\"magic\"]\n", "login_by: 'magic' must be \"secret\""},
        {LEAST "home = [\"/etc\"]\n", "home: '/etc' must be a path below the home"},
        {LEAST "share = [\"~/../x\"]\n", "share: '~/../x' must be a path below the home"},
        {LEAST "Program = \"a\"\n", "tool.toml:3:1: unknown key 'Program'"},
        {LEAST "[no_ask]\nprogram = \"a\"\n", "unknown key 'program'"},
        {LEAST "[sandbox]\n", "unknown key 'sandbox'"},
        {LEAST "ask = true\n", "ask must be a table"},
        {LEAST "arguments = \"-a\"\n", "arguments must be a list"},
        {LEAST "arguments = [3]\n", "arguments must be a text"},
        {LEAST "arguments = [\"a\\u0000b\"]\n", "arguments must be a text without NUL"},
        {LEAST "env = [\"A=b\"]\n", "env must be a table"},
        {LEAST "env = { A = 1 }\n", "A must be a text"},
        {LEAST "env = { \"A=B\" = \"\" }\n", "env: 'A=B' must be letters"},
        {LEAST "env = { A = \"$HOME\" }\n", "A: '$HOME' names a variable"},
        {LEAST "files = [\"a\"]\n", "files must be a table"},
        {LEAST "files = { \"../a\" = \"\" }\n", "files: '../a' must be a name"},
        {LEAST "files = { \".a\" = \"\" }\n", "files: '.a' must be a name"},
        {LEAST "files = { \"-a\" = \"\" }\n", "files: '-a' must be a name"},
        {LEAST "files = { \"\" = \"\" }\n", "files: '' must be a name"},
        {LEAST "files = { \"~/a=b\" = \"\" }\n", "files: '~/a=b' must be a name"},
        {LEAST "files = { \"~/../a\" = \"\" }\n", "files: '~/../a' must be a path below"},
        {LEAST "files = { \"~/\" = \"\" }\n", "files: '~/' must be a path below"},
        {LEAST "files = { \"a\" = 1 }\n", "a must be a text"},
        {LEAST "network = [\"localhost\"]\n", "network: 'localhost' must"},
        {LEAST "version = \"\"\n", "version: '' must be"},
        {LEAST "version = \"--force\"\n", "version: '--force' must be"},
        {LEAST "version = \"file:/etc\"\n", "version: 'file:/etc' must be"},
        {"package = \"/a\"\nprogram = \"a\"\nversion = \"1\"\n", "has no 'version'"},
        {"package = \"a\"\nprogram = \"../a\"\n", "program: '../a' must be"},
        {"package = \"a\"\nprogram = \".\"\n", "program: '.' must be"},
        {"package = \"a\"\nprogram = \"\"\n", "program: '' must be"},
        {"package = [", "tool.toml:1:"},
    };
    static const char *const packages[] = {
        "",    "-g",     "--prefix=/", "@a",    "@a/b/c", "a/b",     "@/b",        "@a/",
        "a@1", "../a",   "./a",        "~/a",   "A",      "a b",     "a\\nb",      ".a",
        "a:b", "file:a", "npm:b",      "@-a/b", "/../a",  "@a/../b", "a\\u001b[m", "\xc3\xa4",
    };
    for (gsize i = 0; i < G_N_ELEMENTS(table); i++)
        assert_refused(table[i].text, table[i].why);
    for (gsize i = 0; i < G_N_ELEMENTS(packages); i++) {
        g_autofree char *text = g_strdup_printf("program = \"a\"\npackage = \"%s\"\n", packages[i]);
        assert_refused(text, "package");
    }
}

static void sizes_have_limits(void)
{
    g_autoptr(GString) many = g_string_new(LEAST "arguments = [");
    for (int i = 0; i <= AGENT_PRESET_LIST_MAX; i++)
        g_string_append(many, "\"a\",");
    g_string_append(many, "]\n");
    assert_refused(many->str, "at most 64");
    g_autofree char *a = g_strnfill(AGENT_PRESET_TEXT_MAX + 1, 'a');
    g_autofree char *text = g_strdup_printf(LEAST "arguments = [\"%s\"]\n", a);
    assert_refused(text, "at most 4096 bytes");
    a[215] = '\0';
    g_autofree char *package = g_strdup_printf("program = \"a\"\npackage = \"%s\"\n", a);
    assert_refused(package, "must be a package");
}

static void names(void)
{
    static const char *const wrong_names[] = {"",    "A",    "1a",  "-a", "a-", "a.b",
                                              "a/b", "../a", "a b", "a_", "."};
    g_assert_true(agent_preset_name_is_valid("claude"));
    g_assert_true(agent_preset_name_is_valid("a-1"));
    for (gsize i = 0; i < G_N_ELEMENTS(wrong_names); i++)
        g_assert_false(agent_preset_name_is_valid(wrong_names[i]));
    g_autofree char *longest = g_strnfill(AGENT_PRESET_NAME_MAX + 1, 'a');
    g_assert_false(agent_preset_name_is_valid(longest));
}

static void put(const char *name, const char *text)
{
    g_autofree char *folder = paths_config("agents");
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

static void files_are_read(void)
{
    g_autoptr(GError) error = NULL;
    put("mine.toml", LEAST);
    put("Wrong.toml", LEAST);
    put("other.json", LEAST);
    g_autoptr(agent_preset) mine = agent_preset_read("mine", &error);
    g_assert_no_error(error);
    g_assert_true(g_str_has_suffix(mine->file, "/agents/mine.toml"));
    g_assert_true(agent_preset_exists("mine"));
    g_auto(GStrv) all = agent_preset_names();
    g_assert_true(g_strv_contains((const char *const *)all, "mine"));
    g_assert_false(g_strv_contains((const char *const *)all, "Wrong"));
    g_assert_false(g_strv_contains((const char *const *)all, "other"));
    static const char *const missing[] = {"none", "../agents/mine", "mine.toml", ""};
    for (gsize i = 0; i < G_N_ELEMENTS(missing); i++) {
        g_autoptr(GError) problem = NULL;
        g_assert_null(agent_preset_read(missing[i], &problem));
        g_assert_false(agent_preset_exists(missing[i]));
        g_assert_error(problem, BOX_ERROR, BOX_ERROR_NOT_FOUND);
        g_assert_nonnull(strstr(problem->message, "mine"));
    }
}

/* TRUE when one of LIST is PATH or a folder above it. */
static gboolean has_above(char *const *list, const char *path)
{
    for (; list && *list; list++)
        if (fs_is_below(path, *list))
            return TRUE;
    return FALSE;
}

/* A login and what boxes may share are in what the agent keeps, and no login is shared. */
static void check_home(const agent_preset *self)
{
    g_assert_true(self->home && *self->home && self->login_by && *self->login_by);
    for (char **path = self->login; path && *path; path++) {
        g_assert_true(has_above(self->home, *path));
        g_assert_false(has_above(self->share, *path));
    }
    for (char **path = self->share; path && *path; path++)
        g_assert_true(has_above(self->home, *path));
}

/* Those that are installed: each is right and complete, and begins with a line that says what it is
 * for. */
static void installed_presets_are_right(void)
{
    const char *folder = g_getenv("LITTERBOX_AGENTS");
    g_autoptr(GDir) files = g_dir_open(folder, 0, NULL);
    guint count = 0;
    for (const char *name; (name = g_dir_read_name(files)); count++) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        g_autofree char *text = fs_read_text(path, 64 * 1024);
        g_autofree char *stem = g_strndup(name, strlen(name) - strlen(".toml"));
        g_autoptr(GError) error = NULL;
        g_assert_true(agent_preset_name_is_valid(stem));
        g_autoptr(agent_preset) self = agent_preset_parse(stem, path, text, strlen(text), &error);
        g_assert_no_error(error);
        g_assert_true(g_str_has_prefix(text, "# "));
        g_assert_nonnull(self->network);
        /* It can run without its questions. */
        g_assert_true(self->no_ask.arguments || self->no_ask.env);
        check_home(self);
    }
    g_assert_cmpuint(count, >=, 11);
}

int main(int argc, char **argv)
{
    g_autofree char *root = g_dir_make_tmp("presets-XXXXXX", NULL);
    g_setenv("XDG_CONFIG_HOME", root, TRUE);
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent_preset/all", all_keys);
    g_test_add_func("/agent_preset/project", arguments_name_the_project);
    g_test_add_func("/agent_preset/variables-name-files", variables_name_the_files);
    g_test_add_func("/agent_preset/least", least_keys);
    g_test_add_func("/agent_preset/broken", broken_files_are_errors);
    g_test_add_func("/agent_preset/limits", sizes_have_limits);
    g_test_add_func("/agent_preset/names", names);
    g_test_add_func("/agent_preset/files", files_are_read);
    g_test_add_func("/agent_preset/installed", installed_presets_are_right);
    int status = g_test_run();
    fs_remove_tree(root, NULL);
    return status;
}
