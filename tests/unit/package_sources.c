/* Which hosts apt and npm of an image install from, by files that the image made. */
#include "box/lifecycle/package_sources.h"

#include <string.h>

#include "box/helpers/package_hosts.h"

static GPtrArray *hosts_new(void)
{
    return g_ptr_array_new_with_free_func(g_free);
}

static void assert_hosts(GPtrArray *hosts, const char *expected)
{
    g_ptr_array_add(hosts, NULL);
    g_autofree char *got = g_strjoinv(" ", (char **)hosts->pdata);
    g_assert_cmpstr(got, ==, expected);
}

static void assert_apt(const char *text, gboolean is_deb822, const char *expected)
{
    g_autoptr(GPtrArray) hosts = hosts_new();
    apt_sources_parse(text, strlen(text), is_deb822, hosts);
    assert_hosts(hosts, expected);
}

static void one_line_format(void)
{
    assert_apt("deb http://deb.example.org/debian stable main\n"
               "deb-src https://src.example.org/debian stable main # deb http://no.example.org x\n"
               "# deb http://no.example.org/debian stable main\n"
               "  deb\t[arch=amd64 signed-by=/a.gpg] https://opt.example.org:8443/x stable main\n"
               "deb [ trusted=yes ] http://deb.example.org/security stable main\r\n"
               "debx http://no.example.org/ stable main\n"
               "deb",
               FALSE, "deb.example.org:80 src.example.org opt.example.org:8443");
    assert_apt("deb [arch=amd64 http://no.example.org/ stable main\n", FALSE, "");
    assert_apt("", FALSE, "");
}

static void deb822_format(void)
{
    assert_apt("# a comment\nTypes: deb\nURIs: http://deb.example.org/debian\n"
               " https://more.example.org/debian\n# between\n\tfile:/local\nSuites: stable\n\n"
               "Types: deb\nEnabled: No\nURIs: http://no.example.org/debian\n\n"
               "uris: http://late.example.org/\nEnabled: yes\n"
               " http://no.example.org/of-enabled\n",
               TRUE, "deb.example.org:80 more.example.org late.example.org:80");
}

/* Nothing but full names on a port: no address, nothing of the host, no wildcard. */
static void hostile_urls(void)
{
    static const char *const urls[] = {
        "http://10.0.0.1/",
        "http://[::1]/",
        "http://127.1/",
        "http://localhost/",
        "http://host:5432/",
        "http://host/",
        "http://*.example.org/",
        "http://com/",
        "http://a.example.org:0/",
        "http://a.example.org:99999/",
        "http://a.example.org:-1/",
        "ftp://a.example.org/",
        "file:///etc",
        "mirror+http://a.example.org/",
        "cdrom:[x]/",
        "http:",
        "http:///x",
        "//a.example.org/",
        "http://a_b.example.org/",
        "http://a.example.org%2f.evil.org/",
        "http://${HOST}/",
        "http://m\xc3\xbcnchen.de/",
    };
    for (gsize i = 0; i < G_N_ELEMENTS(urls); i++) {
        g_autofree char *line = g_strdup_printf("deb %s stable main\n", urls[i]);
        assert_apt(line, FALSE, "");
    }
    assert_apt("deb http://user:secret@Deb.Example.org./x stable main\n", FALSE,
               "deb.example.org:80");
    static const char nul[] = "deb http://a.example.org/ x\n\0deb http://b.example.org/ x\n";
    g_autoptr(GPtrArray) none = hosts_new(), many = hosts_new();
    apt_sources_parse(nul, sizeof nul - 1, FALSE, none);
    assert_hosts(none, "");
    g_autoptr(GString) long_list = g_string_new(NULL);
    for (int i = 0; i < 1000; i++)
        g_string_append_printf(long_list, "deb http://h%d.example.org/ x\n", i);
    apt_sources_parse(long_list->str, long_list->len, FALSE, many);
    g_assert_cmpuint(many->len, ==, PACKAGE_HOSTS_MAX);
}

static void npm_configuration(void)
{
    static const char scoped[] = "audit=false\n@a:registry=https://a.example.org\n";
    static const char text[] =
        "; registry=https://no.example.org/\n# registry=https://no.example.org/\n"
        "registry = \"https://npm.example.org/repo/\"\n"
        " \t@scope:registry=http://scope.example.org:4873\n"
        "//npm.example.org/:_authToken=${TOKEN}\n"
        "proxy=http://no.example.org\nxregistry=https://no.example.org/\n"
        "@other:registry=${URL}\nregistry\n";
    g_autoptr(GPtrArray) hosts = hosts_new(), none = hosts_new();
    g_assert_true(npm_config_parse(text, strlen(text), hosts));
    assert_hosts(hosts, "npm.example.org scope.example.org:4873");
    g_assert_false(npm_config_parse(scoped, strlen(scoped), none));
    assert_hosts(none, "a.example.org");
}

/* As npm 8, and as npm 11 has it. */
static void npm_definitions(void)
{
    static const char proxy[] = "define('proxy', { default: 'https://no.example.org' })";
    static const char *const texts[] = {
        "define('registry', {\n  default: 'https://npm.example.org/',\n  type: url,\n",
        "  registry: new Definition('registry', {\n    default: 'https://npm.example.org/',\n",
    };
    for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autoptr(GPtrArray) hosts = hosts_new();
        npm_definitions_parse(texts[i], strlen(texts[i]), hosts);
        assert_hosts(hosts, "npm.example.org");
        for (gsize length = 0; length < strlen(texts[i]); length++) {
            g_autoptr(GPtrArray) cut = hosts_new();
            npm_definitions_parse(texts[i], length, cut);
            g_assert_cmpuint(cut->len, <=, 1);
        }
    }
    g_autoptr(GPtrArray) none = hosts_new();
    npm_definitions_parse(proxy, strlen(proxy), none);
    assert_hosts(none, "");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/package_sources/one_line", one_line_format);
    g_test_add_func("/package_sources/deb822", deb822_format);
    g_test_add_func("/package_sources/hostile", hostile_urls);
    g_test_add_func("/package_sources/npm", npm_configuration);
    g_test_add_func("/package_sources/npm_definitions", npm_definitions);
    return g_test_run();
}
