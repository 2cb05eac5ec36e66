/* Rules of [network] allow and deny: what is one, and what each decides. */
#include <arpa/inet.h>
#include <glib.h>
#include <string.h>

#include "proto/network_rules.h"

static char *normal(const char *text, bool denies, const char **wrong)
{
    struct network_rule rule;
    char out[NETWORK_RULE_SIZE];
    *wrong = "";
    if (network_rule_parse(text, denies, &rule, wrong) < 0)
        return NULL;
    network_rule_text(&rule, out);
    return g_strdup(out);
}

static void rules_are_normalised(void)
{
    static const struct {
        const char *text, *normal;
        bool denies;
    } table[] = {
        {"api.example.com", "api.example.com", 0},
        {"API.Example.COM.", "api.example.com", 0},
        {"api.example.com:443", "api.example.com", 0},
        {"api.example.com:443", "api.example.com:443", 1},
        {"api.example.com", "api.example.com", 1},
        {"*.Example.com:8080", "*.example.com:8080", 0},
        {"xn--mnchen-3ya.de", "xn--mnchen-3ya.de", 0},
        {"10.0.0.5:5432", "10.0.0.5:5432", 0},
        {"10.1.0.0/16:5432", "10.1.0.0/16:5432", 0},
        {"8.8.8.8", "8.8.8.8", 0},
        {"0.0.0.0/0", "0.0.0.0/0", 1},
        {"127.0.0.1", "127.0.0.1", 1},
        {"[2001:DB8:0::5]:5432", "[2001:db8::5]:5432", 0},
        {"[2606:4700::1111]", "[2606:4700::1111]", 0},
        {"[fd12:3456::/32]:5432", "[fd12:3456::/32]:5432", 0},
        {"[::/0]:25", "[::/0]:25", 1},
        {"[::1]", "[::1]", 1},
        {"host:5432", "host:5432", 0},
        {"host", "host", 1},
        {"host.box.internal", "host", 1},
        {"HOST.box.internal.:80", "host:80", 1},
        {"example.com/tcp", "example.com/tcp", 0},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(table); i++) {
        const char *wrong;
        g_autofree char *out = normal(table[i].text, table[i].denies, &wrong);
        g_assert_cmpstr(wrong, ==, "");
        g_assert_cmpstr(out, ==, table[i].normal);
    }
}

/* The numbers are those of the attacks that others have had: names that two parsers read
 * differently, numbers as names, zones, brackets, ports. */
static void tricks_are_refused(void)
{
    static const char *const texts[] = {
        "",
        "*",
        "*.",
        "*.com",
        "*example.com",
        "a.*.com",
        "**.example.com",
        ".example.com",
        "example..com",
        "example.com..",
        "-a.example.com",
        "a-.example.com",
        "com",
        "localhost",
        "localhost.",
        "a.localhost",
        "127.1",
        "127.0.0.1",
        "127.0.0.1.",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "010.0.0.1:80",
        "1.2.3",
        "0",
        "0.0.0.0:80",
        "169.254.169.254:80",
        "224.0.0.1:80",
        "255.255.255.255:80",
        "198.18.0.1:53",
        "198.19.255.255:443",
        "10.0.0.1/16:80",
        "10.0.0.0/33:80",
        "10.0.0.0/:80",
        "10.0.0.0/07:80",
        "0.0.0.0/0:80",
        "8.8.8.0/24:53",
        "10.0.0.0/7:53",
        "[10.0.0.1]:80",
        "[allowed.example]",
        "::1",
        "[::1]:80",
        "2001:db8::5",
        "2001:db8::5:5432",
        "[2001:db8::5",
        "[2001:db8::5]x:80",
        "[2001:db8::5]5432",
        "[2001:db8::5]:",
        "[2001:db8::5%lo]:80",
        "[]:80",
        "[/64]:80",
        "[2001:db8::/129]:80",
        "[2001:db8::]/32:80",
        "[fd12:3456::1/32]:80",
        "[2606:4700::/32]:80",
        "[::/0]:80",
        "[::ffff:8.8.8.8]:80",
        "[::8.8.8.8]:80",
        "[64:ff9b::808:808]:80",
        "[64:ff9b:1::1]:80",
        "[2002:808:808::1]:80",
        "[2001:0:1::1]:80",
        "[fe80::1]:80",
        "[fd00:ec2::254]:80",
        "[fd00:ec2::/64]:80",
        "[fd20:ce::254]:80",
        "[ff02::1]:80",
        "[100::1]:80",
        "::ffff:1.2.3.4%x.allowed.com",
        "allowed.com\\x",
        "allowed.com%2f.evil.com",
        "allowed.com\nevil.com",
        "allowed.com evil.com",
        " allowed.com",
        "user@allowed.com",
        "https://allowed.com",
        "allowed.com:",
        "allowed.com:0",
        "allowed.com:65536",
        "allowed.com:080",
        "allowed.com:+80",
        "allowed.com:80:80",
        "allowed.com:80 ",
        "under_score.example.com",
        "m\xc3\xbcnchen.de",
        "xn--\xc3\xbc.de",
        "host",
        "host:0",
        "a.123",
        "a.0x1",
        "example.com:443/tcp",
        "example.com:53/udp",
        "example.com:8080/%74cp",
        "GET example.com:443/tcp",
        "example.com:443:443",
        "example.com:65536",
        "example.com:+443",
        "example.com:443 ",
        " example.com",
        "example.com ",
        "example.com,example.org",
        "10.0.0.0/8/8:80",
        "10.0.0.0/-1:80",
        "[fd00::1/8]:80",
        "[fd00::1]:80/tcp",
        "host.box.internal:80",
        "Host.Box.Internal.",
        "GET host.box.internal:80",
        "localhost:80",
        "CONNECT example.com",
        "CONNECT example.com:80/x",
    };
    for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
        const char *wrong;
        g_autofree char *out = normal(texts[i], false, &wrong);
        g_assert_cmpstr(out, ==, NULL);
        g_assert_cmpstr(wrong, !=, "");
    }
    const char *scheme;
    g_assert_null(normal("https://allowed.com", false, &scheme));
    g_assert_nonnull(strstr(scheme, "scheme"));
    g_assert_null(normal("allowed.com:443/tcp", false, &scheme));
    g_assert_nonnull(strstr(scheme, "rules are for TCP"));
    g_assert_null(normal("localhost:80", false, &scheme));
    g_assert_nonnull(strstr(scheme, "host:PORT"));
    g_autofree char *label = g_strnfill(64, 'a');
    g_autofree char *longest = g_strdup_printf("%s.com", label);
    const char *wrong;
    g_assert_null(normal(longest, false, &wrong));
    label[63] = '\0';
    g_autofree char *name = g_strjoin(".", label, label, label, label + 2, NULL); /* 253 */
    g_autofree char *fits = normal(name, false, &wrong);
    g_assert_cmpstr(fits, ==, name);
    g_autofree char *over = g_strconcat("a", name, NULL);
    g_assert_null(normal(over, false, &wrong));
}

static void parse(const char *text, struct network_rules *rules)
{
    g_assert_cmpint(network_rules_parse(text, strlen(text), rules), ==, 0);
}

static void names_are_decided(void)
{
    static const struct {
        const char *name;
        uint16_t port;
        bool is_allowed;
    } table[] = {
        {"api.example.com", 443, true},      {"api.example.com", 80, false},
        {"api.example.com", 8443, true},     {"example.com", 443, false},
        {"xapi.example.com", 443, false},    {"a.wild.com", 443, true},
        {"a.b.wild.com", 443, true},         {"wild.com", 443, false},
        {"evilwild.com", 443, false},        {"a.evilwild.com", 443, false},
        {"a.wild.com.evil.com", 443, false}, {"bad.wild.com", 443, false},
        {"a.bad.wild.com", 443, true},       {"a.worse.wild.com", 443, false},
        {"worse.wild.com", 443, true},       {"ssh.wild.com", 22, false},
        {"ssh.wild.com", 443, true},         {HOST_IN_BOX, 5432, true},
        {HOST_IN_BOX, 5433, false},          {HOST_IN_BOX, 443, false},
        {HOST_IN_BOX, 6000, false},
    };
    struct network_rules rules;
    parse("deny bad.wild.com\nallow api.example.com\nallow api.example.com:8443\n"
          "allow *.wild.com\nallow *.wild.com:22\ndeny *.worse.wild.com\ndeny ssh.wild.com:22\n"
          "allow host:5432\nallow *.box.internal\nallow host:6000\ndeny host:6000\n",
          &rules);
    for (gsize i = 0; i < G_N_ELEMENTS(table); i++) {
        const struct network_rule *rule = network_rules_name(&rules, table[i].name, table[i].port);
        if ((rule != NULL) != table[i].is_allowed)
            g_error("%s:%u", table[i].name, table[i].port);
    }
    g_assert_true(network_rules_has_name(&rules, "api.example.com"));
    g_assert_true(network_rules_has_name(&rules, HOST_IN_BOX));
    g_assert_false(network_rules_has_name(&rules, "bad.wild.com"));
    g_assert_false(network_rules_has_name(&rules, "wild.com"));
    g_assert_true(network_rules_has_exact_name(&rules, "api.example.com"));
    g_assert_true(network_rules_has_exact_name(&rules, HOST_IN_BOX));
    g_assert_false(network_rules_has_exact_name(&rules, "a.wild.com"));
    network_rules_clear(&rules);
}

static const struct network_rule *by_number(const struct network_rules *rules, const char *text,
                                            uint16_t port)
{
    struct network_prefix address;
    const char *wrong;
    g_assert_cmpint(network_prefix_parse(text, &address, &wrong), ==, 0);
    const struct network_rule *rule = network_rules_decide_address(rules, &address.address, port);
    return rule && !rule->denies ? rule : NULL;
}

static void nothing_allows_nothing(void)
{
    struct network_rules rules;
    parse("", &rules);
    g_assert_false(network_rules_has_name(&rules, "example.com"));
    g_assert_null(network_rules_name(&rules, "example.com", 443));
    g_assert_null(by_number(&rules, "10.0.0.5", 443));
    parse("deny evil.com\n", &rules);
    g_assert_null(network_rules_name(&rules, "example.com", 443));
    network_rules_clear(&rules);
}

/* A rule that denies is never without effect. */
static void the_host_is_denied(void)
{
    static const char *const words[] = {
        "host",      "host.box.internal",      "*.box.internal",
        "host:5432", "host.box.internal:5432", "*.box.internal:5432"};
    for (gsize i = 0; i < G_N_ELEMENTS(words); i++) {
        struct network_rules rules;
        g_autofree char *text = g_strdup_printf("allow host:5432\ndeny %s\n", words[i]);
        parse(text, &rules);
        g_assert_null(network_rules_name(&rules, HOST_IN_BOX, 5432));
        g_assert_false(network_rules_has_name(&rules, HOST_IN_BOX));
        network_rules_clear(&rules);
    }
}

static void a_broken_file_allows_nothing(void)
{
    static const char *const broken[] = {
        "allow a.com",        "allow a.com\n\n", "allow\n",
        "allow  a.com\n",     "Deny a.com\n",    "allow a.com\ndeny b\n",
        "allow a.com\nfoo\n", "allow host\n"};
    struct network_rules rules;
    for (gsize i = 0; i < G_N_ELEMENTS(broken); i++) {
        g_assert_cmpint(network_rules_parse(broken[i], strlen(broken[i]), &rules), ==, -1);
        g_assert_cmpuint(rules.count, ==, 0);
    }
    g_assert_cmpint(network_rules_parse("allow a.com\0\n", 13, &rules), ==, -1);
    g_autoptr(GString) many = g_string_new(NULL);
    for (int i = 0; i <= NETWORK_RULES_MAX; i++)
        g_string_append(many, "allow a.com\n");
    g_assert_cmpint(network_rules_parse(many->str, many->len, &rules), ==, -1);
}

static const char *refusal(const struct network_rules *rules, const char *text, uint16_t port,
                           bool is_own)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address = {0};
    address.any.sa_family = strchr(text, ':') ? AF_INET6 : AF_INET;
    address.v4.sin_port = htons(port);
    g_assert_cmpint(
        inet_pton(address.any.sa_family, text,
                  strchr(text, ':') ? (void *)&address.v6.sin6_addr : (void *)&address.v4.sin_addr),
        ==, 1);
    return network_rules_refuse(rules, &address.any, is_own);
}

/* What a name may lead to. */
static void addresses_are_decided(void)
{
    static const char *const never[] = {"127.0.0.1",
                                        "127.0.0.53",
                                        "0.0.0.0",
                                        "0.1.2.3",
                                        "169.254.169.254",
                                        "169.254.1.2",
                                        "192.0.0.192",
                                        "224.0.0.1",
                                        "240.0.0.1",
                                        "255.255.255.255",
                                        "198.18.0.1",
                                        "198.19.0.5",
                                        "10.3.0.1",
                                        "172.16.0.1",
                                        "172.31.255.255",
                                        "192.168.1.1",
                                        "100.64.0.1",
                                        "100.100.100.200",
                                        "168.63.129.16",
                                        "9.9.9.9",
                                        "::1",
                                        "::",
                                        "::ffff:8.8.8.8",
                                        "::ffff:127.0.0.1",
                                        "::8.8.8.8",
                                        "64:ff9b::808:808",
                                        "64:ff9b:1::1",
                                        "64:ff9b:1:fffe::7f00:1",
                                        "2002:7f00:1::",
                                        "2001:0:1::1",
                                        "2001:2::1",
                                        "2001:10::1",
                                        "2001:20::1",
                                        "2001:db8::1",
                                        "3fff::1",
                                        "fe80::1",
                                        "febf::1",
                                        "fec0::1",
                                        "fc00::1",
                                        "fd12:3456:1::1",
                                        "fd00:ec2::254",
                                        "fd20:ce::254",
                                        "ff02::1",
                                        "ff0e::1",
                                        "100::1",
                                        "4000::1",
                                        "2620:fe::9"};
    struct network_rules rules;
    parse("allow 10.1.0.0/16:5432\nallow 10.2.0.7:80\ndeny 9.9.9.9\ndeny 10.1.9.0/24\n"
          "deny 10.2.0.8\ndeny [2620:fe::9]\nallow [fd12:3456::/32]:5432\n"
          "allow [2001:db8:1::7]:80\nallow [fd00::/8]:80\n",
          &rules);
    for (gsize i = 0; i < G_N_ELEMENTS(never); i++)
        if (!refusal(&rules, never[i], 443, false))
            g_error("%s", never[i]);
    g_assert_nonnull(strstr(refusal(&rules, "198.18.7.7", 443, false), "198.18.0.0/15"));
    g_assert_null(refusal(&rules, "8.8.8.8", 443, false));
    g_assert_null(refusal(&rules, "2606:4700::1111", 443, false));
    g_assert_null(refusal(&rules, "10.1.2.3", 5432, false));
    g_assert_null(refusal(&rules, "10.2.0.7", 80, false));
    g_assert_nonnull(refusal(&rules, "10.1.2.3", 443, false));
    g_assert_nonnull(refusal(&rules, "10.1.9.3", 5432, false));
    g_assert_nonnull(refusal(&rules, "10.2.0.8", 80, false));
    g_assert_null(refusal(&rules, "fd12:3456:1::1", 5432, false));
    g_assert_null(refusal(&rules, "2001:db8:1::7", 80, false));
    g_assert_nonnull(refusal(&rules, "fd12:3457::1", 5432, false));
    g_assert_nonnull(refusal(&rules, "fd00:ec2::254", 80, false));
    /* Those of the host itself. */
    g_assert_nonnull(refusal(&rules, "fd12:3456:1::1", 5432, true));
    g_assert_null(refusal(&rules, "2001:db8:1::7", 80, true));
    g_assert_nonnull(refusal(&rules, "8.8.8.8", 443, true));
    g_assert_nonnull(refusal(&rules, "2606:4700::1111", 443, true));
    g_assert_nonnull(refusal(&rules, "10.1.2.3", 5432, true));
    g_assert_null(refusal(&rules, "10.2.0.7", 80, true));
    /* Dialled by their number. */
    g_assert_nonnull(by_number(&rules, "[fd12:3456:1::1]", 5432));
    g_assert_null(by_number(&rules, "[fd12:3456:1::1]", 80 + 1));
    g_assert_null(by_number(&rules, "[fd00:ec2::254]", 80));
    g_assert_null(by_number(&rules, "[2620:fe::9]", 443));
    g_assert_nonnull(by_number(&rules, "10.1.2.3", 5432));
    g_assert_null(by_number(&rules, "10.1.2.3", 443));
    g_assert_null(by_number(&rules, "10.1.9.3", 5432));
    g_assert_null(by_number(&rules, "8.8.8.8", 443));
    network_rules_clear(&rules);
}

/* "::/0" has the bits of every address, and means IPv6. */
static void families_are_apart(void)
{
    struct network_rules rules;
    parse("allow 8.8.8.8\nallow [2606:4700::1111]\ndeny [::/0]\n", &rules);
    g_assert_nonnull(by_number(&rules, "8.8.8.8", 443));
    g_assert_null(by_number(&rules, "[2606:4700::1111]", 443));
    network_rules_clear(&rules);
    parse("allow 8.8.8.8\nallow [2606:4700::1111]\ndeny 0.0.0.0/0\n", &rules);
    g_assert_null(by_number(&rules, "8.8.8.8", 443));
    g_assert_nonnull(by_number(&rules, "[2606:4700::1111]", 443));
    network_rules_clear(&rules);
}

static void ech_is_a_line(void)
{
    struct network_rules rules;
    parse("ech\nallow a.example.com\n", &rules);
    g_assert_true(rules.allows_ech);
    g_assert_cmpuint(rules.count, ==, 1);
    network_rules_clear(&rules);
    parse("allow a.example.com\n", &rules);
    g_assert_false(rules.allows_ech);
    network_rules_clear(&rules);
}

static void connections_are_a_line(void)
{
    struct network_rules rules;
    static const char *const wrong[] = {
        "connections=0\n",    "connections=\n",     "connections=-1\n",
        "connections=4097\n", "connections=1 2\n",  "connections 12\n",
        "connections= 12\n",  "connections=0x10\n", "connections=99999999999999999999\n"};
    parse("connections=12\nallow a.example.com\n", &rules);
    g_assert_cmpuint(rules.connections, ==, 12);
    g_assert_cmpuint(rules.count, ==, 1);
    network_rules_clear(&rules);
    parse("allow a.example.com\n", &rules);
    g_assert_cmpuint(rules.connections, ==, 1024);
    network_rules_clear(&rules);
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++)
        g_assert_cmpint(network_rules_parse(wrong[i], strlen(wrong[i]), &rules), ==, -1);
}

/* Asked about, or let through by audit, is only what no rule decides, and never the host. */
static void no_rule_decides(const char *word, enum network_unlisted expected)
{
    struct network_rules rules;
    g_autofree char *text = g_strdup_printf("%s\nallow a.example.com\nallow *.b.example.com:80\n"
                                            "deny c.example.com:443\ndeny *.d.example.com\n",
                                            word);
    static const struct {
        const char *name;
        guint16 port;
        gboolean is_decided;
    } table[] = {
        {"a.example.com", 443, TRUE}, {"a.example.com", 80, FALSE}, {"x.b.example.com", 80, TRUE},
        {"b.example.com", 80, FALSE}, {"c.example.com", 443, TRUE}, {"c.example.com", 22, FALSE},
        {"c.example.com", 0, FALSE},  {"x.d.example.com", 0, TRUE}, {"x.d.example.com", 22, TRUE},
        {"d.example.com", 22, FALSE}, {HOST_IN_BOX, 22, TRUE},      {HOST_IN_BOX, 0, TRUE},
    };
    parse(text, &rules);
    g_assert_cmpint(rules.unlisted, ==, expected);
    for (gsize i = 0; i < G_N_ELEMENTS(table); i++)
        g_assert_cmpint(network_rules_unlisted(&rules, table[i].name, table[i].port), ==,
                        table[i].is_decided ? UNLISTED_REFUSED : expected);
    network_rules_clear(&rules);
}

static void names_without_a_rule(void)
{
    struct network_rules rules;
    no_rule_decides("ask", UNLISTED_ASKED);
    no_rule_decides("audit", UNLISTED_AUDITED);
    no_rule_decides("ech", UNLISTED_REFUSED);
    g_assert_cmpint(network_rules_parse("audits\n", 7, &rules), ==, -1);
    g_assert_cmpint(network_rules_parse("audit \n", 7, &rules), ==, -1);
}

/* Nothing of what is checked where a name is dialled depends on it. */
static void audit_opens_no_address(void)
{
    static const char *const addresses[] = {"127.0.0.1",     "169.254.169.254", "10.0.0.5",
                                            "192.168.1.1",   "100.100.100.200", "198.18.0.7",
                                            "168.63.129.16", "224.0.0.1",       "0.0.0.0"};
    struct network_rules rules;
    parse("audit\ndeny 1.2.3.4\nallow 10.0.0.6:443\n", &rules);
    for (gsize i = 0; i < G_N_ELEMENTS(addresses); i++) {
        struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(443)};
        g_assert_cmpint(inet_pton(AF_INET, addresses[i], &to.sin_addr), ==, 1);
        g_assert_nonnull(network_rules_refuse(&rules, (struct sockaddr *)&to, false));
        g_assert_null(by_number(&rules, addresses[i], 443));
    }
    struct sockaddr_in denied = {.sin_family = AF_INET, .sin_port = htons(443)};
    inet_pton(AF_INET, "1.2.3.4", &denied.sin_addr);
    g_assert_nonnull(network_rules_refuse(&rules, (struct sockaddr *)&denied, false));
    inet_pton(AF_INET, "8.8.8.8", &denied.sin_addr);
    g_assert_nonnull(network_rules_refuse(&rules, (struct sockaddr *)&denied, true));
    g_assert_null(network_rules_refuse(&rules, (struct sockaddr *)&denied, false));
    network_rules_clear(&rules);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/network_rules/normalised", rules_are_normalised);
    g_test_add_func("/network_rules/tricks", tricks_are_refused);
    g_test_add_func("/network_rules/names", names_are_decided);
    g_test_add_func("/network_rules/nothing", nothing_allows_nothing);
    g_test_add_func("/network_rules/host_denied", the_host_is_denied);
    g_test_add_func("/network_rules/broken_file", a_broken_file_allows_nothing);
    g_test_add_func("/network_rules/families", families_are_apart);
    g_test_add_func("/network_rules/connections", connections_are_a_line);
    g_test_add_func("/network_rules/ech", ech_is_a_line);
    g_test_add_func("/network_rules/unlisted", names_without_a_rule);
    g_test_add_func("/network_rules/audit", audit_opens_no_address);
    g_test_add_func("/network_rules/addresses", addresses_are_decided);
    return g_test_run();
}
