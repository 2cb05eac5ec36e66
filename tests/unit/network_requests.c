/* Rules with methods and paths: what is one, which requests it matches, and the paths that servers
 * read in different ways. */
#include "proto/network_requests.h"

#include <glib.h>
#include <string.h>

static void rules_are_normalised(void)
{
    static const struct {
        const char *text, *normal; /* NULL: it is none */
        bool denies;
    } table[] = {
        {"GET API.example.com", "GET api.example.com", 0},
        {"GET api.example.com:443/v1/**", "GET api.example.com/v1/**", 0},
        {"api.example.com:8443/%7euser/*/%e4%bd%a0", "api.example.com:8443/~user/*/%E4%BD%A0", 0},
        {"api.example.com/", "api.example.com/", 0},
        {"M-SEARCH api.example.com/**", "M-SEARCH api.example.com/**", 0},
        {"get api.example.com", NULL, 0},
        {"GET,HEAD api.example.com", NULL, 0},
        {" api.example.com", NULL, 0},
        {"GET  api.example.com", NULL, 0},
        {"GET https://api.example.com/", NULL, 0},
        {"ABCDEFGHIJKLMNOPQRSTUVWXYZ api.example.com", NULL, 0},
        {"GET *.example.com", NULL, 0},
        {"GET 10.0.0.5:80", NULL, 0},
        {"10.0.0.5:80/v1", NULL, 0},
        {"GET [2001:db8::5]:80", NULL, 0},
        {"GET host:80", NULL, 0},
        {"host:80/v1", NULL, 0},
        {"GET key.box.internal:80", NULL, 0},
        {"api.example.com/a*", NULL, 0},
        {"api.example.com/**/a", NULL, 0},
        {"api.example.com/a/***", NULL, 0},
        {"api.example.com/a?b", NULL, 0},
        {"api.example.com/../a", NULL, 0},
        {"api.example.com//a", NULL, 0},
        {"api.example.com/a%2fb", NULL, 0},
        {"GET api.example.com", NULL, 1},
        {"api.example.com/v1/**", NULL, 1},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(table); i++) {
        struct network_rule rule;
        const char *wrong = "";
        char out[NETWORK_RULE_SIZE];
        bool good = network_rule_parse(table[i].text, table[i].denies, &rule, &wrong) == 0;
        if (good != (table[i].normal != NULL))
            g_error("%s: %s", table[i].text, wrong);
        if (!good)
            continue;
        network_rule_text(&rule, out);
        g_assert_cmpstr(out, ==, table[i].normal);
    }
}

static void paths_are_normalised(void)
{
    static const struct {
        const char *target, *path; /* NULL: it is refused */
    } table[] = {
        {"/", "/"},
        {"/org/a", "/org/a"},
        {"/org/a?next=/../..//%2e%00\\", "/org/a"},
        {"/%6Frg/%7Eme", "/org/~me"},
        {"/a%20b/%c3%bc", "/a%20b/%C3%BC"},
        {"/org/", "/org/"},
        {"/.well-known/...", "/.well-known/..."},
        {"/a@b/c:d/(e)'!$&+,=*", "/a@b/c:d/(e)'!$&+,=*"},
        {"", NULL},
        {"*", NULL},
        {"org", NULL},
        {"//", NULL},
        {"/org//a", NULL},
        {"//evil.example/org/a", NULL},
        {"/org/../admin", NULL},
        {"/org/..", NULL},
        {"/org/./a", NULL},
        {"/org/.", NULL},
        {"/org/%2e%2e/admin", NULL},
        {"/org/.%2E/admin", NULL},
        {"/org/%252e%252e/admin", NULL},
        {"/org/%25%32%65", NULL},
        {"/org/..%2fadmin", NULL},
        {"/org/..%5cadmin", NULL},
        {"/org/..\\admin", NULL},
        {"/org/..;/admin", NULL},
        {"/org;x=1/a", NULL},
        {"/org/%3b/a", NULL},
        {"/org/a%00.png", NULL},
        {"/org/a%0d%0aX: y", NULL},
        {"/org/a%7f", NULL},
        {"/org/a%3f/b", NULL},
        {"/org/a%23/b", NULL},
        {"/org/a#/b", NULL},
        {"/org/%", NULL},
        {"/org/%4", NULL},
        {"/org/%zz", NULL},
        {"/org/%c0%ae%c0%ae/admin", NULL},
        {"/org/%e0%80%af", NULL},
        {"/org/%ff", NULL},
        {"/org/\xc3\xbc", NULL},
        {"/org/\"a\"", NULL},
        {"/org/a b", NULL},
        {"/org/[a]{b}|c^`", NULL},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(table); i++) {
        char path[REQUEST_PATH_SIZE];
        const char *why = "";
        int status = request_path_normalise(table[i].target, strlen(table[i].target), path, &why);
        if ((status == 0) != (table[i].path != NULL))
            g_error("%s: %s", table[i].target, why ? why : path);
        if (status == 0)
            g_assert_cmpstr(path, ==, table[i].path);
        else
            g_assert_true(why && *why);
    }
    g_autofree char *longest = g_strnfill(REQUEST_PATH_SIZE, 'a');
    char path[REQUEST_PATH_SIZE];
    const char *why;
    longest[0] = '/';
    g_assert_cmpint(request_path_normalise(longest, REQUEST_PATH_SIZE - 1, path, &why), ==, 0);
    g_assert_cmpint(request_path_normalise(longest, REQUEST_PATH_SIZE, path, &why), ==, -1);
    g_assert_cmpint(request_path_normalise("/a\0b", 4, path, &why), ==, -1);
}

static struct network_rule rule_of(const char *text)
{
    struct network_rule rule;
    const char *wrong;
    g_assert_cmpint(network_rule_parse(text, false, &rule, &wrong), ==, 0);
    return rule;
}

static void stars_match_parts(void)
{
    static const struct {
        const char *pattern, *path;
        bool matches;
    } table[] = {
        {"/org/**", "/org/a", true},
        {"/org/**", "/org/a/b/", true},
        {"/org/**", "/org/", true},
        {"/org/**", "/org", false},
        {"/org/**", "/organ/a", false},
        {"/org/*", "/org/a", true},
        {"/org/*", "/org/a/", false},
        {"/org/*", "/org/a/b", false},
        {"/org/*", "/org/", false},
        {"/org/*", "/org/*", true},
        {"/org/*/x", "/org/a/x", true},
        {"/org/*/x", "/org/a/b/x", false},
        {"/*/x/**", "/org/x/y/z", true},
        {"/**", "/", true},
        {"/**", "/a/b", true},
        {"/", "/", true},
        {"/", "/a", false},
        {"/org/a", "/org/A", false},
        {"/org/a", "/org/a", true},
        {"/org/a", "/org/a/", false},
        {"/org/a/", "/org/a/", true},
        {"/org/a/", "/org/a", false},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(table); i++) {
        struct request_rule rule = {0};
        g_strlcpy(rule.path, table[i].pattern, sizeof rule.path);
        if (request_rule_matches(&rule, "GET", table[i].path) != table[i].matches)
            g_error("%s %s", table[i].pattern, table[i].path);
    }
}

static void a_wide_rule_covers_a_narrow_one(void)
{
    static const struct {
        const char *wide, *narrow;
        bool covers;
    } table[] = {
        {"a.example.com", "GET a.example.com/x/**", true},
        {"GET a.example.com", "GET a.example.com/x", true},
        {"GET a.example.com", "POST a.example.com/x", false},
        {"GET a.example.com", "a.example.com", false},
        {"GET a.example.com/**", "a.example.com", false},
        {"GET a.example.com/**", "GET a.example.com", true},
        {"a.example.com/**", "a.example.com", true},
        {"a.example.com/x/**", "a.example.com/x/y/**", true},
        {"a.example.com/x/*", "a.example.com/x/**", false},
        {"a.example.com/x/**", "a.example.com/x/*", true},
        {"a.example.com/x/*", "a.example.com/x/y", true},
        {"a.example.com/x/y", "a.example.com/x/*", false},
        {"a.example.com/*/**", "a.example.com/**", false},
        {"a.example.com/x/**", "a.example.com:8443/x/y", false},
        {"a.example.com", "b.example.com/x", false},
        {"*.example.com", "*.example.com", true},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(table); i++) {
        struct network_rule wide = rule_of(table[i].wide), narrow = rule_of(table[i].narrow);
        if (network_rule_covers(&wide, &narrow) != table[i].covers)
            g_error("%s, %s", table[i].wide, table[i].narrow);
    }
}

#define RULES                                                                                \
    "allow GET a.example.com/org/**\nallow HEAD a.example.com/org/**\nallow b.example.com\n" \
    "allow GET b.example.com/x\nallow POST a.example.com:8443\ndeny c.example.com\n"         \
    "allow GET c.example.com\n"

static gboolean allows(const struct network_rules *rules, const char *name, const char *first,
                       const char *fields, struct request_refusal *why)
{
    struct http_message request;
    const char *wrong;
    g_autofree char *head =
        g_strdup_printf("%s HTTP/1.1\r\nHost: %s\r\n%s\r\n", first, name, fields);
    g_assert_cmpint(http_read_request(head, strlen(head), 443, &request, &wrong), ==,
                    HEAD_COMPLETE);
    return network_requests_allow(rules, name, 443, &request, why);
}

static void requests_are_decided(void)
{
    static const struct {
        const char *name, *first, *fields, *reason; /* NULL: it passes */
        const char *command;
    } table[] = {
        {"a.example.com", "GET /org/x?y=1", "", NULL, NULL},
        {"a.example.com", "HEAD /%6frg/x", "", NULL, NULL},
        {"b.example.com", "POST /x", "", NULL, NULL},
        {"a.example.com", "POST /org/x", "", "no rule allows POST a.example.com/org/x",
         "box net allow 'POST a.example.com/org/x'"},
        {"a.example.com", "GET /", "", "no rule allows GET a.example.com/",
         "box net allow 'GET a.example.com/'"},
        {"a.example.com", "get /org/x", "", "its method is none of a rule", ""},
        {"a.example.com", "GET /org/../x", "", "its path has '.' or '..' as a part", ""},
        {"c.example.com", "GET /x", "", "no rule allows GET c.example.com/x",
         "box net allow 'GET c.example.com/x'"},
        /* What must not be pasted into a shell, or is a pattern. */
        {"a.example.com", "GET /$(x)", "", "no rule allows GET a.example.com/$(x)", ""},
        {"a.example.com", "GET /'x'", "", "no rule allows GET a.example.com/'x'", ""},
        {"a.example.com", "GET /**", "", "no rule allows GET a.example.com/**", ""},
        {"a.example.com", "GET /org/x", "X-HTTP-Method-Override: DELETE\r\n",
         "a rule with methods or paths allows no field that changes them", ""},
        {"a.example.com", "GET /org/x", "x_http_method_override: DELETE\r\n",
         "a rule with methods or paths allows no field that changes them", ""},
        {"a.example.com", "GET /org/x", "X-Original-URL: /admin\r\n",
         "a rule with methods or paths allows no field that changes them", ""},
        {"a.example.com", "GET /org/x", "Destination: /admin\r\n",
         "a rule with methods or paths allows no field that changes them", ""},
        {"a.example.com", "GET /org/x", "X-Amz-Copy-Source: /admin\r\n",
         "a rule with methods or paths allows no field that changes them", ""},
        {"a.example.com", "GET /org/x", "X-Forwarded-Uri: /admin\r\n",
         "a rule with methods or paths allows no field that changes them", ""},
        {"a.example.com", "GET /org/x", "Upgrade: h2c\r\n",
         "a rule with methods or paths allows no field that changes them", ""},
        {"a.example.com", "GET /org/x", "Content-Length: 5\r\n",
         "a GET or HEAD with a body does not pass", ""},
        {"a.example.com", "GET /org/x", "Transfer-Encoding: chunked\r\n",
         "a GET or HEAD with a body does not pass", ""},
        {"a.example.com", "CONNECT /org/x", "", "CONNECT does not pass", ""},
        {"a.example.com", "GET /org/x", "Content-Length: 0\r\n", NULL, NULL},
        {"a.example.com", "GET /org/x", "Connection: Upgrade\r\nUpgrade: h2c\r\n",
         "a rule with methods or paths allows no other protocol", ""},
    };
    struct network_rules rules;
    g_assert_cmpint(network_rules_parse(RULES, strlen(RULES), &rules), ==, 0);
    for (gsize i = 0; i < G_N_ELEMENTS(table); i++) {
        struct request_refusal why;
        gboolean passes = allows(&rules, table[i].name, table[i].first, table[i].fields, &why);
        if (passes != !table[i].reason)
            g_error("%s %s: %s", table[i].name, table[i].first, why.reason);
        if (passes)
            continue;
        g_assert_cmpstr(why.reason, ==, table[i].reason);
        g_assert_cmpstr(why.command, ==, table[i].command);
    }
    network_rules_clear(&rules);
}

/* The name and its port are reached by such a rule; the whole name wins; deny wins over all. */
static void rules_of_a_name(void)
{
    struct network_rules rules, same;
    char text[256];
    g_assert_cmpint(network_rules_parse(RULES, strlen(RULES), &rules), ==, 0);
    g_assert_nonnull(network_rules_name(&rules, "a.example.com", 443));
    g_assert_nonnull(network_rules_name(&rules, "a.example.com", 8443));
    g_assert_null(network_rules_name(&rules, "a.example.com", 80));
    g_assert_null(network_rules_name(&rules, "c.example.com", 443));
    const struct network_rule *whole = network_rules_name(&rules, "b.example.com", 443);
    g_assert_false(request_rule_is_set(&whole->request));
    ssize_t length = network_requests_write(&rules, "a.example.com", 443, text, sizeof text);
    g_assert_cmpint(length, ==,
                    strlen("allow GET a.example.com/org/**\nallow HEAD a.example.com/org/**\n"));
    g_assert_cmpint(network_rules_parse(text, (size_t)length, &same), ==, 0);
    g_assert_cmpuint(network_requests_digest(&same, "a.example.com", 443), ==,
                     network_requests_digest(&rules, "a.example.com", 443));
    g_assert_cmpuint(network_requests_digest(&rules, "a.example.com", 443), !=,
                     network_requests_digest(&rules, "a.example.com", 8443));
    g_assert_cmpuint(network_requests_digest(&rules, "b.example.com", 443), ==, 0);
    g_assert_cmpint(network_requests_write(&rules, "b.example.com", 443, text, sizeof text), ==, 0);
    g_assert_cmpint(network_requests_write(&rules, "a.example.com", 443, text, 40), ==, -1);
    network_rules_clear(&rules);
    network_rules_clear(&same);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/network_requests/rules", rules_are_normalised);
    g_test_add_func("/network_requests/paths", paths_are_normalised);
    g_test_add_func("/network_requests/stars", stars_match_parts);
    g_test_add_func("/network_requests/covers", a_wide_rule_covers_a_narrow_one);
    g_test_add_func("/network_requests/decided", requests_are_decided);
    g_test_add_func("/network_requests/names", rules_of_a_name);
    return g_test_run();
}
