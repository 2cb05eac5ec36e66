/* From TOML to typed values: what is taken, and the exact words for what is not. */
#include <string.h>

#include "common/error.h"
#include "common/paths.h"
#include "config/layer.h"
#include "config/value.h"

static settings *apply(const char *text, settings_origin origin, char **message)
{
    g_autoptr(problems) wrong = problems_new();
    g_autoptr(GError) error = NULL;
    settings *into = settings_new_defaults();
    layer each = {"f.toml", origin, wrong, into, NULL};
    gboolean ok = layer_apply(&each, text, strlen(text));
    g_assert_true(problems_check(wrong, &error) == ok);
    if (error)
        g_assert_error(error, BOX_ERROR, BOX_ERROR_CONFIG);
    *message = g_strdup(error ? error->message : NULL);
    return into;
}

static settings *good(const char *text)
{
    g_autofree char *message = NULL;
    settings *result = apply(text, ORIGIN_PROJECT, &message);
    g_assert_cmpstr(message, ==, NULL);
    return result;
}

static void assert_wrong_in(settings_origin origin, const char *text, const char *expected)
{
    g_autofree char *message = NULL;
    g_autoptr(settings) ignored = apply(text, origin, &message);
    g_assert_nonnull(ignored);
    g_assert_cmpstr(message, ==, expected);
}

static void assert_wrong(const char *text, const char *expected)
{
    assert_wrong_in(ORIGIN_PROJECT, text, expected);
}

/* "[SECTION] KEY = VALUE" is refused with a message that ends as EXPECTED does. */
static void assert_bad_value(const char *section, const char *line, const char *expected)
{
    g_autofree char *text = g_strdup_printf("[%s]\n%s\n", section, line);
    g_autofree char *message = NULL;
    g_autoptr(settings) ignored = apply(text, ORIGIN_PROJECT, &message);
    g_assert_nonnull(ignored);
    if (!message || !g_str_has_suffix(message, expected) || strchr(message, '\n'))
        g_error("[%s] %s: expected '…%s', got '%s'", section, line, expected, message);
}

static void test_all_at_once(void)
{
    assert_wrong(
        "[box]\n"
        "imgae = \"x\"\n"
        "image = \"bad image\"\n"
        "memory = \"1G\"\n"
        "[network]\n"
        "mode = \"opne\"\n"
        "[limits]\n"
        "pids = \"many\"\n",
        "f.toml:2:1: [box] imgae: unknown key; did you mean \"image\"?\n"
        "f.toml:3:9: [box] image: 'bad image' must be \"host\", \"template:NAME\" or an image "
        "reference such as \"docker.io/library/debian:12\"\n"
        "f.toml:4:1: [box] memory: unknown key; it belongs into [limits]\n"
        "f.toml:6:8: [network] mode: 'opne' must be one of none, filtered, ask, open, host; did you mean \"open\"?\n"
        "f.toml:8:8: [limits] pids: must be a whole number, not a string");
}

static void test_unknown(void)
{
    assert_wrong("[netwrok]\nmode = \"open\"\n",
                 "f.toml:1:2: [netwrok]: unknown section; did you mean \"network\"?");
    assert_wrong("[kitchen]\n", "f.toml:1:2: [kitchen]: unknown section");
    assert_wrong(
        "memory = \"1G\"\n",
        "f.toml:1:1: memory: unknown key outside of any section; it belongs into [limits]");
    assert_wrong(
        "memmory = \"1g\"",
        "f.toml:1:1: memmory: unknown key outside of any section; did you mean \"memory\" in "
        "[limits]?");
    assert_wrong("[box]\nmemmory = \"1g\"",
                 "f.toml:2:1: [box] memmory: unknown key; did you mean \"memory\" in [limits]?");
    assert_wrong("box = 1\n", "f.toml:1:1: box: must be a section: [box]");
    assert_wrong("[box]\nwibble = 1\n", "f.toml:2:1: [box] wibble: unknown key");
    assert_wrong("[[mount]]\nsource = \"/x\"\ntrget = \"/y\"\n",
                 "f.toml:3:1: [mount]: unknown key 'trget'; did you mean \"target\"?");
    assert_wrong("[mount]\nsource = \"/x\"\n",
                 "f.toml:1:1: [mount]: must be written [[mount]], one for each");
    assert_wrong("[box]\nname\n",
                 "f.toml:2:5: Error while parsing key-value pair: expected '=', saw '\\n'");
}

static void test_rules(void)
{
    g_autoptr(settings) taken = good("[network]\nallow = [\"A.Example.com.:443\", \"host:5432\"]\n"
                                     "deny = [\"10.0.0.0/8\"]\n");
    g_assert_cmpstr(taken->network.allow[0], ==, "a.example.com");
    g_assert_cmpstr(taken->network.allow[1], ==, "host:5432");
    g_autoptr(settings) tables =
        good("[network]\nallow = [\"a.example.com\", { host = \"B.example.com:8443\", methods = "
             "[\"GET\", \"HEAD\"], paths = [\"/a/**\", \"/b\"] }, { host = \"c.example.com\" }]\n");
    g_autofree char *rules = g_strjoinv("|", tables->network.allow);
    g_assert_cmpstr(rules, ==,
                    "a.example.com|GET b.example.com:8443/a/**|GET b.example.com:8443/b|"
                    "HEAD b.example.com:8443/a/**|HEAD b.example.com:8443/b|c.example.com");
    assert_wrong("[network]\nallow = [{ host = \"a.example.com\", method = \"GET\" }]\n",
                 "f.toml:2:36: [network] allow: unknown key 'method' (host, methods and paths are "
                 "known)");
    assert_wrong("[network]\nallow = [{ host = \"a.example\", paths = [\".com/x\"] }]\n",
                 "f.toml:2:10: [network] allow: a path must begin with '/'");
    assert_wrong("[network]\nallow = [{ host = \"a.example.com\", methods = [] }]\n",
                 "f.toml:2:46: [network] allow: methods must be a list of strings, and not be "
                 "empty");
    assert_wrong(
        "[network]\nallow = [{ host = \"a.example.com\", methods = [\"get\"] }]\n",
        "f.toml:2:10: [network] allow: 'get a.example.com' must have a method in capitals, "
        "such as GET");
    assert_wrong("[network]\ndeny = [{ host = \"a.example.com\" }]\n",
                 "f.toml:2:9: [network] deny: must be a string, not a table");
    g_assert_cmpstr(taken->network.deny[0], ==, "10.0.0.0/8");
    assert_wrong("[network]\nallow = [\"host\"]\n",
                 "f.toml:2:10: [network] allow: 'host' must name a port, such as host:5432");
}

/* Which keys a box may ask for, and that its filter is open, is nothing that a project can even
 * propose. */
static void test_yours_alone(void)
{
    static const char *const lines[] = {"ssh.keys = [\"a\"]",    "ssh.upstream = \"/x\"",
                                        "ssh.forward = \"ask\"", "ssh.grants = \"once\"",
                                        "ssh.grant_uses = 5",    "ssh.git_signing = true",
                                        "network.audit = true",  "network.audit = false"};
    for (gsize i = 0; i < G_N_ELEMENTS(lines); i++) {
        g_autofree char *text = g_strdup_printf("%s\n", lines[i]);
        g_autofree char *message = NULL, *none = NULL;
        g_autoptr(settings) refused = apply(text, ORIGIN_PROJECT, &message);
        g_autoptr(settings) taken = apply(text, ORIGIN_BOX, &none);
        g_assert_nonnull(strstr(message, "for you alone"));
        g_assert_null(none);
        g_assert_nonnull(taken);
        g_assert_false(refused->network.audit);
        g_assert_null(refused->ssh.keys && refused->ssh.keys[0] ? refused->ssh.keys[0] : NULL);
    }
}

/* Nothing of the file may forge a line or hide one. */
static void test_foreign_text(void)
{
    assert_wrong("\"a\\nf.toml:1:1: fine\" = 1\n",
                 "f.toml:1:1: a\\nf.toml:1:1: fine: unknown key outside of any section");
    assert_wrong("[box]\n\"im\\u202eage\" = 1\n", "f.toml:2:1: [box] im\\u{202e}age: unknown key");
    assert_wrong("[\"\\u001b[2J\"]\n", "f.toml:1:2: [\\x1b[2J]: unknown section");
    assert_wrong(
        "[network]\nmode = \"\\u001b]0;x\\u0007\"\n",
        "f.toml:2:8: [network] mode: '\\x1b]0;x\\x07' must be one of none, filtered, ask, open, host");
    assert_wrong("[box]\nimage = \"a\\u0000b\"\n",
                 "f.toml:2:9: [box] image: must not contain a NUL character");
    assert_wrong("[box]\n\"image\\u0000\" = \"host\"\n",
                 "f.toml:2:1: a key must not contain a NUL character");
    assert_wrong("[\"box\\u0000x\"]\n", "f.toml:1:2: a key must not contain a NUL character");
}

static void test_many(void)
{
    g_autoptr(GString) text = g_string_new("[box]\n");
    g_autofree char *message = NULL;
    for (int i = 0; i < 5000; i++)
        g_string_append_printf(text, "wrong%d = 1\n", i);
    g_autoptr(settings) ignored = apply(text->str, ORIGIN_PROJECT, &message);
    g_assert_nonnull(ignored);
    g_assert_true(g_str_has_suffix(message, "\n… and 4950 more"));

    g_string_assign(text, "[protect]\npaths = [");
    for (int i = 0; i < 1001; i++)
        g_string_append_printf(text, "\"p%d\",", i);
    g_string_append(text, "]\n");
    assert_wrong(text->str, "f.toml:2:9: [protect] paths: must have at most 1000 entries");
}

static void test_user_file(void)
{
    assert_wrong_in(
        ORIGIN_USER, "[box]\nname = \"x\"\n",
        "f.toml:2:1: [box] name: belongs into a project's litterbox.toml, not into your "
        "own configuration");
}

static void test_texts(void)
{
    assert_bad_value("box", "name = \"Shop\"", "beginning with a letter or digit");
    assert_bad_value("box", "name = \"../x\"", "beginning with a letter or digit");
    assert_bad_value("box", "name = 1", "must be a string, not a whole number");
    assert_bad_value("box", "image = \"\"", "\"docker.io/library/debian:12\"");
    assert_bad_value("box", "image = \"template:\"", "such as \"template:debian\"");
    assert_bad_value("box", "containerfile = \"/etc/x\"", "below the project, without '..'");
    assert_bad_value("box", "containerfile = \"a/../../x\"", "below the project, without '..'");
    assert_bad_value("box", "packages = \"git\"", "must be a list of strings, not a string");
    static const char *const no_packages[] = {
        "",   "-y", "--root=/x", "a b",   "a;b", "$(a)", "a/b", "./a.deb", "http://a/b", "a\\nb",
        "a-", "+a", "!a",        "@core", "a*",  "a'",   "a`b", "a[0]",    "ä"};
    for (gsize i = 0; i < G_N_ELEMENTS(no_packages); i++) {
        g_autofree char *line = g_strdup_printf("packages = [\"%s\"]", no_packages[i]);
        assert_bad_value("box", line, "not ending with '-'");
    }
    assert_bad_value("box", "shell = \"zsh\"", "must be an absolute path without '..'");
    assert_bad_value("box", "env = { \"A=B\" = \"x\" }", "not beginning with a digit");
    assert_bad_value("box", "env = { A = 1 }", "must be a string, not a whole number");
    assert_bad_value("box", "env = [\"A\"]", "must be a table of names and strings, not a list");
    assert_bad_value("box", "env = { A = \"/a:$PATH\" }", "for PATH, use box.path");
    assert_bad_value("box", "env = { A = \"${HOME}\" }", "for PATH, use box.path");
    assert_bad_value("box", "path = [\"bin\"]", "begin with '~/', without '..'");
    assert_bad_value("box", "path = [\"/a:/b\"]", "must be one folder, without ':'");
    assert_bad_value("box", "pass_env = [\"*\"]", "or the beginning of one and '*'");
    assert_bad_value("box", "pass_env = \"A\"", "must be a list of strings, not a string");
    assert_bad_value("home", "setup = \"\\n/..\"", "without '..'");
    assert_bad_value("project", "hidden = [\"\"]", "without '..'");
    assert_bad_value("project", "hidden = [\".\"]", "without '..'");
    assert_bad_value("protect", "extra = [\"../x\"]", "without '..'");
    assert_bad_value("network", "dns = [\"1.2.3\"]", "must be an IPv4 or IPv6 address");
    assert_bad_value("network", "hosts = { a = \"b\" }", "must be an IPv4 or IPv6 address");
    assert_bad_value("network", "hosts = { \"a b\" = \"1.1.1.1\" }", "must be a host name");
    assert_bad_value("security", "seccomp = \"x.json\"", "of a profile on the host");
    assert_bad_value("security", "capabilities = [\"ALL\"]", "capability, such as \"CHOWN\"");
    assert_bad_value("security", "nested = \"yes\"", "must be true or false, not a string");
    assert_bad_value("devices", "list = [\"/etc/x\"]", "or \"vendor/class=name\"");
    assert_bad_value("devices", "list = [\"/dev/../etc/x\"]", "or \"vendor/class=name\"");
    assert_bad_value("devices", "list = [\"/dev/x:rwx\"]", "or \"vendor/class=name\"");
    assert_bad_value("podman", "x = 1979-05-27", "JSON has no date: write it as a string");
    assert_bad_value("podman", "x = [nan]", "JSON has no infinity and no NaN");
}

static void test_numbers(void)
{
    assert_bad_value("limits", "memory = \"8X\"", "or a percentage from \"1%\" to \"100%\"");
    assert_bad_value("limits", "memory = \"0%\"", "or a percentage from \"1%\" to \"100%\"");
    assert_bad_value("limits", "memory = \"101%\"", "or a percentage from \"1%\" to \"100%\"");
    assert_bad_value("limits", "memory = \"1M\"", "must be from 16 MiB to 64 TiB, or 0");
    assert_bad_value("limits", "memory = -1", "must be from 16 MiB to 64 TiB, or 0");
    assert_bad_value("limits", "shm = \"10%\"", "must be a size such as \"512M\" or \"8G\"");
    assert_bad_value("limits", "shm = 0", "must be from 1 MiB to 64 TiB");
    assert_bad_value("limits", "cpus = inf", "must be from 0.01 to 65536, or 0");
    assert_bad_value("limits", "cpus = -1", "must be from 0.01 to 65536, or 0");
    assert_bad_value("network", "connections = 0", "must be from 1 to 4096");
    assert_bad_value("network", "connections = 4097", "must be from 1 to 4096");
    assert_bad_value("limits", "pids = 2", "must be from 16 to 4194304, or 0");
    assert_bad_value("limits", "pids = 9223372036854775807", "must be from 16 to 4194304, or 0");
    assert_bad_value("box", "idle_stop = \"-5m\"", "\"1d\", or \"never\"");
    assert_bad_value("box", "idle_stop = \"9999d\"",
                     "must be from 1 second to 366 days, 0, or \"never\"");
    assert_bad_value("box", "keep_alive = \"never\"", "processes, sessions");
    assert_bad_value("box", "idle_stop = true", "a time such as \"10m\", not true or false");
}

static void test_mounts(void)
{
    static const char *const covered[] = {
        "/",        "/proc", "/proc/self",     "/sys",
        "/dev/shm", "/run",  "/run/litterbox", "/run/litterbox/root/ctl",
        "//proc/.", "/dev/"};
    for (gsize i = 0; i < G_N_ELEMENTS(covered); i++) {
        g_autofree char *text =
            g_strdup_printf("[[mount]]\nsource = \"/srv\"\ntarget = \"%s\"\n", covered[i]);
        g_autofree char *expected = g_strdup_printf(
            "f.toml:3:10: [mount] target: '%s' may not be covered by a mount", covered[i]);
        assert_wrong(text, expected);
    }
    assert_wrong("[[mount]]\nsource = \"/\"\n",
                 "f.toml:1:1: [mount] target: '/' may not be covered by a mount");
    assert_wrong("[[mount]]\nmode = \"rx\"\n",
                 "f.toml:1:1: [mount] source: is missing\n"
                 "f.toml:2:8: [mount] mode: 'rx' must be one of rw, ro, overlay");
    assert_wrong("[[mount]]\nsource = \"data\"\n",
                 "f.toml:2:10: [mount] source: 'data' must be absolute or begin with '~/', without "
                 "'..'");
    assert_wrong("[[mount]]\nsource = \"/a\"\n[[mount]]\nsource = \"/b\"\ntarget = \"/a/\"\n",
                 "f.toml:3:1: [mount]: another [[mount]] has the same target");
    g_autoptr(settings) s =
        good("[[mount]]\nsource = \"~//data/.\"\n"
             "[[mount]]\nsource = \"/run/x\"\ntarget = \"/runner\"\nmode = \"rw\"\n");
    const settings_mount *first = g_ptr_array_index(s->mounts, 0);
    g_autofree char *home_data = g_build_filename(paths_home(), "data", NULL);
    g_assert_cmpstr(first->source, ==, "~/data");
    g_assert_cmpstr(first->target, ==, home_data);
    g_assert_cmpint(first->mode, ==, MODE_RO);
    const settings_mount *second = g_ptr_array_index(s->mounts, 1);
    g_assert_cmpstr(second->target, ==, "/runner");
    g_assert_cmpint(second->mode, ==, MODE_RW);
}

static void test_shares(void)
{
    g_autoptr(settings) s =
        good("[home]\nshare = [\".gitconfig\", \"~/.config/x:rw\", \"a:b:ro\"]\n");
    g_autofree char *text = value_print(schema_find("home", "share"), &s->home.share);
    g_assert_cmpstr(text, ==, "[\"~/.gitconfig:ro\", \"~/.config/x:rw\", \"~/a:b:ro\"]");
    assert_bad_value("home", "share = [\"~\"]", "(for others: [[mount]])");
    assert_bad_value("home", "share = [\"~/\"]", "(for others: [[mount]])");
    assert_bad_value("home", "share = [\"/etc\"]", "(for others: [[mount]])");
    assert_bad_value("home", "share = [\"../x\"]", "(for others: [[mount]])");
    assert_bad_value("home", "share = [\"a\", \"./a:rw\"]", "this path is shared twice");
}

static void test_ports(void)
{
    g_autoptr(settings) s = good("[network]\nports = [8080, \"9000:90\", \"0.0.0.0:53:54/udp\", "
                                 "\"[::1]:80:81/tcp\"]\n");
    g_autofree char *text = value_print(schema_find("network", "ports"), &s->network.ports);
    g_assert_cmpstr(text, ==,
                    "[\"127.0.0.1:8080:8080\", \"127.0.0.1:9000:90\", \"0.0.0.0:53:54/udp\", "
                    "\"[::1]:80:81\"]");
    static const char *const bad[] = {
        "\"0\"",       "70000",         "-1",          "\"a:b\"",
        "\"1:2:3:4\"", "\"::1:80:80\"", "\"80/sctp\"", "\"[127.0.0.1]:1:1\"",
        "\"\"",        "\":80\"",       "\"80:\"",     "\" 80\""};
    for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autofree char *line = g_strdup_printf("ports = [%s]", bad[i]);
        assert_bad_value("network", line, "\"0.0.0.0:8080:80\" or \"5353:53/udp\"");
    }
    assert_bad_value("network", "ports = [80, \"80:81\"]",
                     "this port of the host is published twice");
}

static void test_values(void)
{
    g_autoptr(settings) s = good("[box]\nname = \"shop\"\nenv = { B = \"2\", A = \"=\" }\n"
                                 "idle_stop = \"2h\"\ncontainerfile = \"./a//b/\"\n"
                                 "[project]\nhidden = [\"x/\", \".//x\", \"y\"]\n"
                                 "[limits]\nmemory = \"4G\"\ncpus = 2\n"
                                 "[security]\ncapabilities = [\"cap_net_admin\", \"CHOWN\"]\n"
                                 "[podman]\nb = 1\na = { x = [true, 1.5, \"t\"] }\n");
    g_assert_cmpstr(s->box.name, ==, "shop");
    g_assert_cmpstr(s->box.env[0], ==, "A==");
    g_assert_cmpstr(s->box.env[1], ==, "B=2");
    g_assert_cmpint(s->box.idle_stop, ==, 7200);
    g_assert_cmpstr(s->box.containerfile, ==, "a/b");
    g_assert_cmpuint(g_strv_length(s->project.hidden), ==, 2);
    g_assert_cmpint(s->limits.memory, ==, (gint64)4 << 30);
    g_assert_cmpfloat(s->limits.cpus, ==, 2);
    g_assert_cmpstr(s->security.capabilities[0], ==, "NET_ADMIN");
    g_assert_cmpstr(s->podman_raw, ==, "{\"a\":{\"x\":[true,1.5,\"t\"]},\"b\":1}");
    g_autoptr(settings) never = good("[box]\nidle_stop = \"never\"\n");
    g_assert_cmpint(never->box.idle_stop, ==, SETTINGS_NEVER);
}

static void test_defaults(void)
{
    g_autoptr(settings) s = settings_new_defaults();
    g_assert_null(s->box.name);
    g_assert_cmpstr(s->box.image, ==, "host");
    g_assert_cmpint(s->box.idle_stop, ==, 600);
    g_assert_cmpint(s->box.keep_alive, ==, KEEP_ALIVE_PROCESSES);
    g_assert_cmpint(s->project.mode, ==, MODE_RW);
    g_assert_cmpint(s->network.mode, ==, NETWORK_ASK);
    g_assert_cmpint(s->security.sudo, ==, SUDO_DENY);
    g_assert_cmpuint(s->mounts->len, ==, 0);
    g_assert_null(s->podman_raw);
    g_assert_cmpint(s->limits.memory % (64 << 20), ==, 0);
    g_assert_cmpint(s->limits.memory, >, 0);
    g_assert_true(g_strv_contains((const char *const *)s->protect.paths, ".git/hooks"));
}

/* The trust summary has words for every change that gives a box more. */
static void test_openings_have_words(void)
{
    for (gsize i = 0; i < schema_count; i++) {
        const schema_key *row = &schema_keys[i];
        gboolean in_choices = row->widen == WIDEN_CHOICE || row->widen == WIDEN_PASTE;
        if (row->kind == SCHEMA_SHARES || row->kind == SCHEMA_MOUNTS)
            continue; /* a mount's words are made from its paths */
        for (const struct choice *choice = row->choices; in_choices && choice->name; choice++)
            if (!choice->says)
                g_error("%s.%s: the choice '%s' has no words", row->section, row->key,
                        choice->name);
        if (!in_choices && row->widen != WIDEN_NEVER && !row->says)
            g_error("%s.%s: widens a box, and has no words for it", row->section,
                    row->key ? row->key : "");
    }
}

/* Strings of any content stay one line and read back as they were. */
static void test_print_string(void)
{
    for (int round = 0; round < 500; round++) {
        g_autoptr(GString) value = g_string_new(NULL);
        g_autoptr(GString) text = g_string_new("[box]\nenv = { A = ");
        for (int i = g_test_rand_int_range(0, 20); i > 0; i--)
            g_string_append_unichar(value, g_test_rand_bit()
                                               ? g_test_rand_int_range(1, 128)
                                               : g_test_rand_int_range(0xE000, 0x11000));
        g_strdelimit(value->str, "$", '#'); /* for a variable would be refused */
        value_print_string(text, value->str);
        g_string_append(text, " }\n");
        g_autoptr(settings) s = good(text->str);
        g_assert_cmpstr(s->box.env[0] + 2, ==, value->str);
        g_assert_null(strpbrk(strstr(text->str, "A = "), "\t\r\033\177"));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/config/schema/all-at-once", test_all_at_once);
    g_test_add_func("/config/schema/unknown", test_unknown);
    g_test_add_func("/config/schema/rules", test_rules);
    g_test_add_func("/config/schema/yours-alone", test_yours_alone);
    g_test_add_func("/config/schema/foreign-text", test_foreign_text);
    g_test_add_func("/config/schema/many", test_many);
    g_test_add_func("/config/schema/user-file", test_user_file);
    g_test_add_func("/config/schema/texts", test_texts);
    g_test_add_func("/config/schema/numbers", test_numbers);
    g_test_add_func("/config/schema/mounts", test_mounts);
    g_test_add_func("/config/schema/shares", test_shares);
    g_test_add_func("/config/schema/ports", test_ports);
    g_test_add_func("/config/schema/values", test_values);
    g_test_add_func("/config/schema/defaults", test_defaults);
    g_test_add_func("/config/schema/openings-have-words", test_openings_have_words);
    g_test_add_func("/config/schema/print-string", test_print_string);
    return g_test_run();
}
