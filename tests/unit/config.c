/* config_load: which files count, in which order, and where each value came from. */
#include "config/config.h"
#include "config/layer.h"
#include "config/value.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/paths.h"
#include "config/trust.h"

static char *root, *project;

static void put(const char *path, const char *text)
{
    g_autofree char *folder = g_path_get_dirname(path);
    g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

static void put_user(const char *name, const char *text)
{
    g_autofree char *path = paths_config(name);
    if (text)
        put(path, text);
    else
        g_unlink(path);
}

static void put_project(const char *text)
{
    g_autofree char *path = g_build_filename(project, "litterbox.toml", NULL);
    g_autoptr(GError) error = NULL;
    g_assert_true(fs_remove_tree(path, &error));
    if (text)
        put(path, text);
}

static void clean(void)
{
    put_user("config.toml", NULL);
    put_user("boxes/shop.toml", NULL);
    put_project(NULL);
    g_assert_true(trust_revoke(project, NULL));
}

static config *load(const char *name, const char *const *flags)
{
    g_autoptr(GError) error = NULL;
    config *self = config_load(project, name, flags, TRUST_IGNORE, &error);
    g_assert_no_error(error);
    return self;
}

static void find_origin(const schema_key *row, const void *field, settings_origin origin,
                        const char *file, gpointer data)
{
    const char **wanted = data;
    g_autofree char *key = schema_name(row), *value = value_print(row, field);
    g_autofree char *base = file ? g_path_get_basename(file) : g_strdup("-");
    g_autofree char *all = g_strdup_printf("%s %s %s", value, config_origin_name(origin), base);
    if (g_str_equal(key, wanted[0]))
        wanted[1] = g_intern_string(all);
}

static void assert_each(const config *self, const char *key, const char *expected)
{
    const char *wanted[2] = {key, NULL};
    config_each(self, find_origin, wanted);
    g_assert_cmpstr(wanted[1], ==, expected);
}

static void test_order(void)
{
    clean();
    put_user("config.toml", "[box]\nimage = \"user\"\nidle_stop = \"1h\"\n[limits]\npids = 100\n"
                            "cpus = 1\nshm = \"2M\"\n");
    put_project("[box]\nimage = \"project\"\nname = \"shop\"\n[limits]\npids = 200\ncpus = 2\n");
    put_user("boxes/shop.toml", "[limits]\npids = 300\ncpus = 3\n");
    const char *const flags[] = {"limits.pids=400", NULL};
    g_autoptr(config) self = load("shop", flags);
    assert_each(self, "limits.pids", "400 flag -");
    assert_each(self, "limits.cpus", "3 box shop.toml");
    assert_each(self, "box.image", "\"project\" project litterbox.toml");
    assert_each(self, "limits.shm", "\"2M\" user config.toml");
    assert_each(self, "box.idle_stop", "\"1h\" user config.toml");
    assert_each(self, "limits.nofile", "0 default -");

    g_autoptr(config) unnamed = load(NULL, NULL);
    assert_each(unnamed, "limits.cpus", "2 project litterbox.toml");
    assert_each(unnamed, "box.name", "\"shop\" project litterbox.toml");
}

static void test_merge(void)
{
    clean();
    put_user("config.toml", "[box]\nenv = { A = \"user\", B = \"user\" }\npass_env = [\"X\"]\n"
                            "[podman]\na = 1\nb = { x = 1 }\n"
                            "[[mount]]\nsource = \"/srv/a\"\n[[mount]]\nsource = \"/srv/b\"\n");
    put_project("[box]\nenv.B = \"project\"\nenv.C = \"project\"\npass_env = [\"Y\"]\n"
                "[podman]\nb = 2\n[[mount]]\nsource = \"/srv/c\"\n"
                "[[mount]]\nsource = \"/other\"\ntarget = \"/srv/a\"\nmode = \"rw\"\n");
    g_autoptr(config) self = load(NULL, NULL);
    assert_each(self, "box.env",
                "{ \"A\" = \"user\", \"B\" = \"project\", \"C\" = \"project\" } project "
                "litterbox.toml");
    assert_each(self, "box.pass_env", "[\"Y\"] project litterbox.toml");
    assert_each(self, "podman", "{ \"a\" = 1, \"b\" = 2 } project litterbox.toml");
    assert_each(self, "mount",
                "[{ source = \"/srv/b\", target = \"/srv/b\", mode = \"ro\" }, "
                "{ source = \"/srv/c\", target = \"/srv/c\", mode = \"ro\" }, "
                "{ source = \"/other\", target = \"/srv/a\", mode = \"rw\" }] project "
                "litterbox.toml");
}

static void test_mode_ask(void)
{
    clean();
    put_user("config.toml", "[network]\nmode = \"ask\"\n");
    put_project("[network]\nallow = [\"a.example.com\"]\n");
    g_autoptr(config) self = load("shop", NULL);
    const settings *made = config_settings(self);
    g_assert_cmpint(made->network.mode, ==, NETWORK_FILTERED);
    g_assert_true(made->network.ask);
    assert_each(self, "network.mode", "\"ask\" user config.toml");
    g_autofree char *allow = g_strjoinv(" ", made->network.allow);
    g_assert_cmpstr(allow, ==, "@registries @forges a.example.com");
    assert_each(self, "network.allow", "[\"a.example.com\"] project litterbox.toml");
    assert_each(self, "network.ask", "false default -");
    g_assert_false(config_asks_by_default(self));
    const char *const flags[] = {"network.mode='filtered'", NULL};
    g_autoptr(config) other = load("shop", flags);
    g_assert_false(config_settings(other)->network.ask);
    clean();
    g_autoptr(config) usual = load("shop", NULL);
    g_assert_true(config_asks_by_default(usual));
    g_assert_true(config_settings(usual)->network.ask);
    /* What is written holds, whatever the mode is called. */
    put_user("config.toml", "[network]\nask = false\n");
    g_autoptr(config) quiet = load("shop", NULL);
    g_assert_cmpint(config_settings(quiet)->network.mode, ==, NETWORK_FILTERED);
    g_assert_false(config_settings(quiet)->network.ask);
    g_assert_true(
        g_strv_contains((const char *const *)config_settings(quiet)->network.allow, "@registries"));
    clean();
    assert_each(other, "network.allow", "[\"a.example.com\"] project litterbox.toml");
    clean();
}

static void test_flags(void)
{
    clean();
    const char *const flags[] = {"box.image=debian:12",   "box.env.A=\"x y\"",
                                 "network.ports=[80]",    "security.nested=true",
                                 "limits.memory=2G",      "mount=[{source=\"/srv\"}]",
                                 "podman.systemd=\"no\"", NULL};
    g_autoptr(config) self = load(NULL, flags);
    const settings *s = config_settings(self);
    g_assert_cmpstr(s->box.image, ==, "debian:12");
    g_assert_cmpstr(s->box.env[0], ==, "A=x y");
    g_assert_cmpuint(s->network.ports->len, ==, 1);
    g_assert_true(s->security.nested);
    g_assert_cmpint(s->limits.memory, ==, (gint64)2 << 30);
    g_assert_cmpuint(s->mounts->len, ==, 1);
    g_assert_cmpstr(s->podman_raw, ==, "{\"systemd\":\"no\"}");

    const char *const wrong[] = {"box.imgae=x", "nonsense", "limits.pids=many", NULL};
    g_autoptr(GError) error = NULL;
    g_assert_null(config_load(project, NULL, wrong, TRUST_IGNORE, &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_CONFIG);
    g_assert_cmpstr(error->message, ==,
                    "flag 'box.imgae=x': [box] imgae: unknown key; did you mean \"image\"?\n"
                    "flag 'nonsense': must be section.key=value\n"
                    "flag 'limits.pids=many': [limits] pids: must be a whole number, not a "
                    "string");
}

/* Every error of all files; and a file with an error changes nothing. */
static void test_all_files(void)
{
    clean();
    g_autofree char *user = paths_config("config.toml");
    g_autofree char *box = paths_config("boxes/shop.toml");
    put_user("config.toml", "[box]\nx = 1\n");
    put_project("[box]\ny = 1\nz = 1\n");
    put_user("boxes/shop.toml", "[box]\nname = \"a\"\n");
    g_autoptr(GError) error = NULL;
    g_assert_null(config_load(project, "shop", NULL, TRUST_IGNORE, &error));
    g_autofree char *expected = g_strdup_printf(
        "%s:2:1: [box] x: unknown key\n"
        "%s/litterbox.toml:2:1: [box] y: unknown key\n"
        "%s/litterbox.toml:3:1: [box] z: unknown key\n"
        "%s:2:1: [box] name: belongs into a project's litterbox.toml, not into your own configuration",
        user, project, project, box);
    g_assert_cmpstr(error->message, ==, expected);
}

static void test_files(void)
{
    clean();
    g_autoptr(config) self = load("shop", NULL);
    const char *const *files = config_files(self);
    g_assert_cmpuint(g_strv_length((char **)files), ==, 4);
    g_assert_true(g_str_has_suffix(files[0], "/litterbox/config.toml"));
    g_assert_true(g_str_has_suffix(files[1], "/project/litterbox.toml"));
    g_assert_true(g_str_has_suffix(files[2], "/litterbox/boxes/shop.toml"));
    g_assert_true(g_str_has_suffix(files[3], "/litterbox/boxes/shop/devices"));
    g_assert_cmpuint(config_settings(self)->added_devices->len, ==, 0);

    g_autoptr(GError) error = NULL;
    g_assert_null(config_load(project, "../../x", NULL, TRUST_IGNORE, &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_CONFIG);
}

static void assert_project_fails(const char *ending)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(config_load(project, NULL, NULL, TRUST_IGNORE, &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_CONFIG);
    if (!g_str_has_suffix(error->message, ending))
        g_error("expected …%s, got %s", ending, error->message);
}

static void test_hostile_project_file(void)
{
    g_autofree char *path = g_build_filename(project, "litterbox.toml", NULL);
    g_autofree char *secret = g_build_filename(root, "secret", NULL);
    g_autofree char *big = g_strnfill(CONFIG_FILE_MAX + 1, '\n');
    clean();

    put(secret, "[box]\nimage = \"x\"\n");
    g_assert_cmpint(symlink(secret, path), ==, 0);
    assert_project_fails("symbolic links are not followed here");
    g_autoptr(config) skipped = config_load(project, NULL, NULL, TRUST_SKIP, NULL);
    g_assert_cmpstr(config_settings(skipped)->box.image, !=, "x");
    clean();
    g_assert_cmpint(mkfifo(path, 0600), ==, 0);
    assert_project_fails("is not a regular file");
    clean();
    put_project(big);
    assert_project_fails("is too large");
    clean();
    g_assert_true(g_file_set_contents(path, "# a\0b", 5, NULL));
    assert_project_fails("contains a NUL character");
    clean();
    g_assert_cmpint(g_mkdir(path, 0700), ==, 0);
    config_free(load(NULL, NULL));
    clean();
    put_project("");
    config_free(load(NULL, NULL));
}

static void test_own_symlink(void)
{
    g_autofree char *path = paths_config("config.toml");
    g_autofree char *dotfiles = g_build_filename(root, "dotfiles.toml", NULL);
    clean();
    put(dotfiles, "[limits]\npids = 77\n");
    g_assert_cmpint(symlink(dotfiles, path), ==, 0);
    g_autoptr(config) self = load(NULL, NULL);
    g_assert_cmpint(config_settings(self)->limits.pids, ==, 77);
}

static config *load_as(trust_policy ask, int code)
{
    g_autoptr(GError) error = NULL;
    config *self = config_load(project, NULL, NULL, ask, &error);
    if (code < 0)
        g_assert_no_error(error);
    else
        g_assert_error(error, BOX_ERROR, code);
    return self;
}

static void assert_pids(trust_policy ask, gint64 pids)
{
    g_autoptr(config) self = load_as(ask, -1);
    g_assert_cmpint(config_settings(self)->limits.pids, ==, pids);
}

static void test_trust(void)
{
    g_autoptr(GError) error = NULL;
    clean();
    put_project("[limits]\npids = 100\n");
    g_assert_null(load_as(TRUST_REQUIRE, BOX_ERROR_UNTRUSTED)); /* new, though it only narrows */
    g_assert_null(load_as(TRUST_ASK, BOX_ERROR_UNTRUSTED));     /* no terminal */
    assert_pids(TRUST_SKIP, 8192);
    assert_pids(TRUST_IGNORE, 100);

    g_assert_true(trust_approve(project, "[limits]\npids = 100\n", &error));
    assert_pids(TRUST_REQUIRE, 100);
    put_project("[limits]\npids = 50\n"); /* narrower */
    assert_pids(TRUST_REQUIRE, 50);
    put_project("[limits]\npids = 101\n");
    g_assert_null(load_as(TRUST_REQUIRE, BOX_ERROR_UNTRUSTED));
    assert_pids(TRUST_SKIP, 100);          /* what was approved last */
    put_project("[limits]\npids = 100\n"); /* back to what was approved */
    assert_pids(TRUST_REQUIRE, 100);
    put_project("# nothing\n"); /* the default is more than what was approved */
    g_assert_null(load_as(TRUST_REQUIRE, BOX_ERROR_UNTRUSTED));

    put_project("[limits]\npids = \"x\"\n");
    g_assert_null(load_as(TRUST_REQUIRE, BOX_ERROR_CONFIG));
    assert_pids(TRUST_SKIP, 100);
}

/* Whoever removes the file gets nothing that it had taken. */
static void test_trust_of_what_is_gone(void)
{
    g_autofree char *path = g_build_filename(project, "litterbox.toml", NULL);
    g_autoptr(GError) error = NULL;
    clean();
    g_assert_true(trust_approve(project, "[limits]\npids = 100\n", &error));
    g_assert_null(load_as(TRUST_REQUIRE, BOX_ERROR_UNTRUSTED));
    g_assert_null(load_as(TRUST_ASK, BOX_ERROR_UNTRUSTED)); /* no terminal */
    assert_pids(TRUST_SKIP, 100);
    assert_pids(TRUST_IGNORE, 8192);
    put_project(""); /* the placeholder of a box counts as missing, too */
    g_assert_null(load_as(TRUST_REQUIRE, BOX_ERROR_UNTRUSTED));
    g_assert_cmpint(unlink(path), ==, 0);
    g_assert_cmpint(mkfifo(path, 0600), ==, 0);
    assert_pids(TRUST_SKIP, 100);
    g_assert_cmpint(unlink(path), ==, 0);

    g_autoptr(trust) gone = trust_check(project, &error);
    g_autofree char *text = trust_describe(project, gone, &error);
    g_autofree char *expected = g_strdup_printf("%s is gone, which you had trusted:\n"
                                                "\n"
                                                "- [limits]\n"
                                                "- pids = 100\n"
                                                "\n"
                                                "Without it, code in the box would get:\n"
                                                "  - process limit: 8192 (new)\n",
                                                path);
    g_assert_cmpstr(text, ==, expected);
    g_assert_true(trust_approve_seen(project, gone, &error));
    assert_pids(TRUST_REQUIRE, 8192);

    /* A file that had only opened something may go. */
    g_assert_true(trust_approve(project, "[network]\nping = true\n", &error));
    assert_pids(TRUST_REQUIRE, 8192);
    assert_pids(TRUST_SKIP, 8192);
}

static void test_trust_message(void)
{
    g_autoptr(GError) error = NULL;
    clean();
    put_project("[limits]\npids = 100\n");
    g_assert_null(config_load(project, NULL, NULL, TRUST_REQUIRE, &error));
    g_autofree char *expected = g_strdup_printf(
        "'%s/litterbox.toml' is new and not trusted yet: run 'box trust %s' to see what it would "
        "allow, and to trust it",
        project, project);
    g_assert_cmpstr(error->message, ==, expected);
    g_assert_cmpint(box_error_exit_status(error), ==, 78);
}

/* Adds "section.key" -> its value as text to the hash table INTO. */
static void collect_value(const schema_key *row, const void *field, settings_origin origin,
                          const char *file, gpointer into)
{
    (void)origin;
    (void)file;
    g_hash_table_insert(into, schema_name(row), value_print(row, field));
}

static GHashTable *values_of(const config *self)
{
    GHashTable *values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    config_each(self, collect_value, values);
    return values;
}

/* What an installation has by the settings of the box that asks; all else is closed or a default.
 */
static const char everything[] =
    "[box]\nimage = \"x\"\nenv = {TOKEN = \"a\"}\npass_env = [\"TOKEN\"]\npath = [\"/opt/npm\"]\n"
    "packages = [\"npm\"]\nshell = \"/bin/sh\"\n"
    "[home]\nshare = [\"~/x\"]\nshare_toolchains = true\ndotfiles = \"~/dotfiles\"\nsetup = \"s.sh\"\n"
    "[[mount]]\nsource = \"/srv\"\n"
    "[network]\nmode = \"host\"\nallow = [\"a.example.com\"]\ndeny = [\"b.example.com\"]\nask = true\n"
    "audit = true\nports = [\"8080\"]\nhosts = {\"a.example.com\" = \"10.0.0.1\"}\n"
    "[security]\nsudo = \"allow\"\nnested = true\nseccomp = \"unconfined\"\ncapabilities = [\"SYS_PTRACE\"]\n"
    "[ssh]\nkeys = [\"mine\"]\nforward = \"ask\"\n[limits]\npids = 77\n"
    "[protect]\nguard = false\n[desktop]\nx11 = \"host\"\nsound = \"playback\"\ngpu = \"all\"\n"
    "[devices]\nlist = [\"/dev/kvm\"]\n[podman]\nprivileged = true\n";

static void test_installation(void)
{
    static const char *const kept[] = {"box.image",
                                       "box.path",
                                       "box.idle_stop",
                                       "box.keep_alive",
                                       "home.share_toolchains",
                                       "project.mode",
                                       "network.mode",
                                       "network.allow",
                                       "network.deny",
                                       "network.ask",
                                       "limits.pids",
                                       "git.identity",
                                       "git.host_keys",
                                       "desktop.wayland",
                                       "desktop.open",
                                       "desktop.notify",
                                       "desktop.appearance",
                                       "desktop.sound",
                                       "desktop.gpu",
                                       NULL};
    char *const allow[] = {(char *)"@npm", NULL};
    g_autoptr(GError) error = NULL;
    clean();
    g_autoptr(config) usual = config_load(project, "shop", NULL, TRUST_REQUIRE, &error);
    g_assert_no_error(error);
    put_user("config.toml", everything);
    g_autoptr(config) asks = config_load(project, "shop", NULL, TRUST_REQUIRE, &error);
    g_assert_no_error(error);
    g_autoptr(config) self = config_for_installation(config_settings(asks), "image", allow);
    g_autoptr(GHashTable) defaults = values_of(usual), values = values_of(self);
    GHashTableIter iter;
    gpointer key, value;
    g_hash_table_iter_init(&iter, values);
    while (g_hash_table_iter_next(&iter, &key, &value))
        if (!g_strv_contains(kept, key) &&
            g_strcmp0(value, g_hash_table_lookup(defaults, key)) != 0)
            g_error("%s is %s", (char *)key, (char *)value);
    g_assert_cmpstr(g_hash_table_lookup(values, "network.mode"), ==, "\"filtered\"");
    g_assert_cmpstr(g_hash_table_lookup(values, "network.allow"), ==, "[\"@npm\"]");
    g_assert_cmpstr(g_hash_table_lookup(values, "network.deny"), ==, "[\"b.example.com\"]");
    g_assert_cmpstr(g_hash_table_lookup(values, "desktop.open"), ==, "\"deny\"");
    g_assert_cmpstr(g_hash_table_lookup(values, "limits.pids"), ==, "77");
    g_assert_cmpint(config_settings(self)->home.share_toolchains, ==, TRUE);
    clean();
}

int main(int argc, char **argv)
{
    root = g_dir_make_tmp("litterbox-config-XXXXXX", NULL);
    g_setenv("XDG_CONFIG_HOME", root, TRUE);
    g_autofree char *state = g_build_filename(root, "state", NULL);
    g_setenv("XDG_STATE_HOME", state, TRUE);
    project = g_build_filename(root, "project", NULL);
    g_mkdir(project, 0700);
    setsid(); /* no terminal, whoever runs this */

    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/config/order", test_order);
    g_test_add_func("/config/merge", test_merge);
    g_test_add_func("/config/mode-ask", test_mode_ask);
    g_test_add_func("/config/flags", test_flags);
    g_test_add_func("/config/all-files", test_all_files);
    g_test_add_func("/config/files", test_files);
    g_test_add_func("/config/hostile-project-file", test_hostile_project_file);
    g_test_add_func("/config/own-symlink", test_own_symlink);
    g_test_add_func("/config/trust", test_trust);
    g_test_add_func("/config/trust_of_what_is_gone", test_trust_of_what_is_gone);
    g_test_add_func("/config/trust-message", test_trust_message);
    g_test_add_func("/config/installation", test_installation);
    int result = g_test_run();
    fs_remove_tree(root, NULL);
    g_free(root);
    g_free(project);
    return result;
}
