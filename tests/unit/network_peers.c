/*
 * What the matchers of coder/boundary (rulesengine) and ironsh/iron-proxy (hostmatch, allowlist)
 * are tested with, in the words of our rules: whoever moves from them finds the same, or an error.
 * Where ours decides otherwise, it is on the safe side, and the row says so.
 */
#include <arpa/inet.h>
#include <glib.h>
#include <string.h>

#include "proto/network_requests.h"

struct peer_case {
    const char *rules; /* one a line */
    const char *method, *host, *path;
    bool passes;
};

static bool passes_address(const struct network_rules *rules, const char *host, uint16_t port)
{
    struct in6_addr address = {.s6_addr = {[10] = 0xff, [11] = 0xff}};
    if (inet_pton(AF_INET, host, &address.s6_addr[12]) != 1)
        return false;
    const struct network_rule *rule = network_rules_decide_address(rules, &address, port);
    return rule && !rule->denies;
}

/* As the gate and litterbox-secrets decide: by the normalised name, its port, and the request. */
static bool passes_name(const struct network_rules *rules, const char *host, uint16_t port,
                        const struct peer_case *one)
{
    const char *why;
    char name[HOST_NAME_SIZE], path[REQUEST_PATH_SIZE];
    if (host_name_normalise(host, strlen(host), name) < 0 || !network_rules_name(rules, name, port))
        return false;
    if (network_requests_digest(rules, name, port) == 0)
        return true;
    return request_path_normalise(one->path, strlen(one->path), path, &why) == 0 &&
           network_requests_find(rules, name, port, one->method, path);
}

static bool passes(const struct peer_case *one)
{
    struct network_rules rules;
    g_autoptr(GString) file = g_string_new(NULL);
    g_auto(GStrv) lines = g_strsplit(one->rules, "\n", -1);
    g_auto(GStrv) host = g_strsplit(one->host, ":", 2);
    uint16_t port = host[1] ? (uint16_t)atoi(host[1]) : HTTPS_PORT;
    for (char **line = lines; *line; line++)
        if (**line)
            g_string_append_printf(file, "allow %s\n", *line);
    g_assert_cmpint(network_rules_parse(file->str, file->len, &rules), ==, 0);
    bool result = passes_address(&rules, host[0], port) || passes_name(&rules, host[0], port, one);
    network_rules_clear(&rules);
    return result;
}

static void check(const struct peer_case *table, gsize count)
{
    for (gsize i = 0; i < count; i++)
        if (passes(&table[i]) != table[i].passes)
            g_error("%s | %s %s%s", table[i].rules, table[i].method, table[i].host, table[i].path);
}

static void boundary_decides_the_same(void)
{
    static const struct peer_case table[] = {
        {"GET github.com/wibble/wobble\nHEAD github.com/wibble/wobble", "GET", "github.com",
         "/wibble/wobble", true},
        {"GET github.com", "POST", "github.com", "/wibble/wobble", false},
        {"github.com", "GET", "example.com", "/wibble/wobble", false},
        {"github.com/wibble/wobble", "GET", "github.com", "/different/path", false},
        {"github.com\nexample.com", "GET", "github.com", "/wibble/wobble", true},
        {"github.com", "POST", "github.com", "/wibble/wobble", true},
        {"github.com/wibble/wobble", "GET", "github.com", "/wibble/wobble?param1=value1&param2=2",
         true},
        {"*.github.com", "GET", "api.github.com", "/repos", true},
        {"*.github.com", "GET", "github.com", "/repos", false},
        {"*.github.com", "GET", "v1.api.github.com", "/repos", true},
        {"github.com", "GET", "github.com", "/repos", true},
        {"github.com", "GET", "api.github.com", "/repos", false},
        {"github.com", "GET", "x.users.api.github.com", "/", false},
        {"v1.api.example.com", "GET", "api.example.com", "/users", false},
        {"github.com/api/*/users", "GET", "github.com", "/api/v1/users", true},
        {"github.com/*/users", "GET", "github.com", "/api/users", true},
        {"github.com/api/*/users", "GET", "github.com", "/api/../admin/users", false},
        {"github.com/api/*/foo", "GET", "github.com", "/api/users/admin/foo", false},
        {"github.com/api/v1/*", "GET", "github.com", "/api/v1/users", true},
        {"github.com/api/**", "GET", "github.com", "/api/v1/users/123/details", true},
        /* A star at the end is one part there, too; boundary's is our "**". */
        {"github.com/api/*", "GET", "github.com", "/api/v1/users/123/details", false},
        {"github.com/api", "GET", "github.com", "/api/users", false},
        {"github.com/wibble/wobble\ngithub.com/wibble/wobble/*", "GET", "github.com",
         "/wibble/wobble/sub", true},
        {"example.com/api/v1/**\nexample.com/api/v2/**", "GET", "example.com", "/api/v1/users",
         true},
        {"example.com/api/v1/**\nexample.com/api/v2/**", "GET", "example.com", "/api/v2/items",
         true},
        {"example.com/api/v1/**\nexample.com/api/v2/**", "GET", "example.com", "/api/v3/other",
         false},
        {"example.com/api/v1/users/profile", "GET", "example.com", "/api/v1/users", false},
        {"example.com/*/*", "GET", "example.com", "/users/123", true},
        {"POST github.com/api/issues/**\nGET github.com/api/issues/**", "POST", "github.com",
         "/api/issues/123/edit", true},
        {"GET github.com/api/issues/**", "GET", "github.com", "/api/issues", false},
        {"POST api.example.com/users", "POST", "api.example.com", "/users", true},
        {"POST api.example.com/users", "GET", "api.example.com", "/users", false},
        {"POST api.example.org/users", "POST", "api.example.com", "/users", false},
        {"POST api.example.com/posts", "POST", "api.example.com", "/users", false},
        /* Each port needs a rule of its own; boundary's rules are for all of them. */
        {"github.com", "DELETE", "github.com:8080", "/wibble/wobble", false},
        {"github.com:8080", "DELETE", "github.com:8080", "/wibble/wobble", true},
    };
    check(table, G_N_ELEMENTS(table));
}

static void iron_proxy_decides_the_same(void)
{
    static const struct peer_case table[] = {
        {"*.example.com", "GET", "foo.example.com", "/", true},
        {"*.example.com", "GET", "bar.baz.example.com", "/", true},
        {"*.example.com", "GET", "notexample.com", "/", false},
        /* "*." has at least one label; iron-proxy's counts for the name itself, too. */
        {"*.example.com", "GET", "example.com", "/", false},
        {"exact.example.com", "GET", "exact.example.com", "/", true},
        {"exact.example.com", "GET", "other.example.com", "/", false},
        {"api.openai.com", "GET", "evil.com", "/", false},
        {"api.openai.com", "GET", "api.openai.com:443", "/", true},
        {"api.openai.com", "GET", "evil.com:443", "/", false},
        {"10.0.0.0/8:443\n10.0.0.0/8:8080", "GET", "10.0.1.5", "/", true},
        {"10.0.0.0/8:443\n10.0.0.0/8:8080", "GET", "10.0.1.5:8080", "/", true},
        {"10.0.0.0/8:443", "GET", "8.8.8.8", "/", false},
        {"10.0.0.0/8:443", "GET", "internal.service", "/", false},
        {"10.0.0.0/8:443\n172.16.0.0/12:443", "GET", "172.16.0.1", "/", true},
        {"10.0.0.0/8:443\n172.16.0.0/12:443", "GET", "8.8.8.8", "/", false},
        {"allowed.com\n10.0.0.0/8:443", "GET", "allowed.com", "/", true},
        {"allowed.com\n10.0.0.0/8:443", "GET", "10.0.1.5", "/", true},
        {"allowed.com\n10.0.0.0/8:443", "GET", "evil.com", "/", false},
        {"", "GET", "anything.com", "/", false},
        {"a.com\nb.com\n*.c.com", "GET", "sub.c.com", "/", true},
        {"a.com\nb.com\n*.c.com", "GET", "d.com", "/", false},
        {"GET api.openai.com\nPOST api.openai.com", "POST", "api.openai.com", "/", true},
        {"GET api.openai.com\nPOST api.openai.com", "DELETE", "api.openai.com", "/", false},
        {"api.openai.com", "DELETE", "api.openai.com", "/", true},
        {"api.openai.com/v1/**", "GET", "api.openai.com", "/v1/chat/completions", true},
        /* "**" matches what is below; iron-proxy's star counts for the path itself, too. */
        {"api.openai.com/v1/**", "GET", "api.openai.com", "/v1", false},
        {"api.openai.com/v1/**", "GET", "api.openai.com", "/v2/models", false},
        {"api.openai.com/v1/**", "GET", "api.openai.com", "/", false},
        {"api.openai.com/health", "GET", "api.openai.com", "/health", true},
        {"api.openai.com/health", "GET", "api.openai.com", "/health/deep", false},
        {"api.openai.com/v1/chat\napi.openai.com/v1/models", "GET", "api.openai.com", "/v1/models",
         true},
        {"api.openai.com/v1/chat\napi.openai.com/v1/models", "GET", "api.openai.com", "/v1/other",
         false},
        {"POST api.openai.com/v1/**", "POST", "api.openai.com", "/v1/chat", true},
        {"POST api.openai.com/v1/**", "GET", "api.openai.com", "/v1/chat", false},
        {"POST api.openai.com/v1/**", "POST", "api.openai.com", "/v2/chat", false},
        {"POST api.openai.com/v1/**", "POST", "evil.com", "/v1/chat", false},
        {"POST api.openai.com\nGET api.anthropic.com", "GET", "api.anthropic.com", "/", true},
        {"POST api.openai.com\nGET api.anthropic.com", "POST", "api.anthropic.com", "/", false},
        {"open.com\nGET restricted.com", "DELETE", "open.com", "/anything", true},
        {"open.com\nGET restricted.com", "POST", "restricted.com", "/", false},
    };
    check(table, G_N_ELEMENTS(table));
}

/* What they take as a rule, and we refuse: a pattern for all names, methods that are guessed. */
static void wide_patterns_are_errors(void)
{
    static const char *const texts[] = {
        "*",
        "**.github.com",
        "github.*",
        "github.*.com",
        "api.*.com",
        "*.com",
        "*.*",
        "* github.com",
        "get github.com",
        "GET,HEAD github.com",
        "GET 10.0.0.0/8:443",
        "github.com/api*",
        "10.0.0.0/33:443",
        "not-a-cidr/8:443",
    };
    for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
        struct network_rule rule;
        const char *wrong = NULL;
        if (network_rule_parse(texts[i], false, &rule, &wrong) == 0)
            g_error("%s", texts[i]);
        g_assert_nonnull(wrong);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/network_peers/boundary", boundary_decides_the_same);
    g_test_add_func("/network_peers/iron_proxy", iron_proxy_decides_the_same);
    g_test_add_func("/network_peers/wide_patterns", wide_patterns_are_errors);
    return g_test_run();
}
