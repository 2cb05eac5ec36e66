/* Rules for what a log has: names come from a box. */
#include "box/helpers/network_unmatched.h"

#include <string.h>

#include "common/text.h"

static void add(network_unmatched *self, const char *line)
{
    struct network_record record;
    if (network_record_parse(line, &record) == 0)
        network_unmatched_add(self, &record);
}

static GPtrArray *no_groups(void)
{
    return g_ptr_array_new();
}

/* "ENTRY COUNT, ENTRY COUNT", with " GROUP", or " =RULE+RULE and N" of a group. */
static char *text_of(const GPtrArray *list)
{
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < list->len; i++) {
        const network_suggestion *one = list->pdata[i];
        g_autofree char *covers = one->covers ? g_strjoinv("+", one->covers) : NULL;
        g_string_append_printf(out, "%s%s %u", i ? ", " : "", one->entry, (guint)one->count);
        if (one->group)
            g_string_append_printf(out, " %s", one->group);
        if (covers)
            g_string_append_printf(out, " =%s and %u", covers, one->more);
    }
    return g_string_free(out, FALSE);
}

static void assert_suggests(network_unmatched *self, const char *now, const GPtrArray *groups,
                            const char *expected)
{
    struct network_rules rules = {0};
    g_assert_cmpint(network_rules_parse(now, strlen(now), &rules), ==, 0);
    g_autoptr(GPtrArray) list = network_unmatched_suggest(self, &rules, groups);
    g_autofree char *text = text_of(list);
    g_assert_cmpstr(text, ==, expected);
    network_rules_clear(&rules);
}

#define AUDITED "audited tcp %s 443 1 0 0 0 - - - it would have been refused: no rule allows it"

static void add_audited(network_unmatched *self, const char *name)
{
    g_autofree char *line = g_strdup_printf(AUDITED, name);
    add(self, line);
}

static void what_a_rule_would_allow(void)
{
    g_autoptr(network_unmatched) self = network_unmatched_new();
    g_autoptr(GPtrArray) none = no_groups();
    add(self, "refused dns b.example.com 0 2 0 0 0 - - - no rule allows it");
    add(self, "refused tcp b.example.com 443 1 0 0 0 - - - no rule allows it");
    add(self, "audited tcp a.example.com 8443 3 1 1 1 - - - no server has answered");
    /* These are not for a rule of allow. */
    add(self, "allowed tcp c.example.com 443 1 0 0 0 allow:c.example.com - - -");
    add(self, "refused tcp d.example.com 443 1 0 0 0 deny:d.example.com - - a rule denies it");
    add(self, "refused tcp e.example.com 443 1 0 0 0 - - - its ClientHello names another host");
    add(self,
        "refused tcp f.example.com 443 1 0 0 0 - - - it is a private address, which no rule names");
    add(self, "audited tcp [2001:db8::5] 443 1 0 0 0 - - - -");
    add(self, "refused tcp 10.0.0.5 443 1 0 0 0 - - - no rule allows it");
    add(self, "refused tcp host.box.internal 5432 1 0 0 0 - - - no rule allows it");
    add(self, "audited tcp host.box.internal 5432 1 0 0 0 - - - -");
    assert_suggests(self, "", none, "a.example.com:8443 3, b.example.com 3");
    g_assert_cmpuint(network_unmatched_lost(self), ==, 0);
}

/* Since then a rule has come that allows or denies it. */
static void what_is_decided_by_now(void)
{
    g_autoptr(network_unmatched) self = network_unmatched_new();
    g_autoptr(GPtrArray) none = no_groups();
    add_audited(self, "a.example.com");
    add_audited(self, "b.example.com");
    add_audited(self, "c.example.com");
    assert_suggests(self,
                    "audit\nallow *.example.com:80\nallow a.example.com\ndeny b.example.com\n",
                    none, "c.example.com 1");
}

/* A gate that a box has taken over writes what it likes. */
static void hostile_names(void)
{
    static const char *const names[] = {"a\033[31m.example.com",
                                        "a\".example.com",
                                        "a\\.example.com",
                                        "a'b.example.com",
                                        "a\n]\nallow.example.com",
                                        "a#b.example.com",
                                        "*.example.com",
                                        "@github",
                                        "localhost",
                                        "10.0.0.0/8",
                                        "\xc3\xa4.example.com",
                                        "a b.example.com",
                                        "a\u202eb.example.com",
                                        "-",
                                        "",
                                        "a.example.com:22\", \"*.com",
                                        "127.1",
                                        "a..example.com",
                                        "host"};
    g_autoptr(network_unmatched) self = network_unmatched_new();
    g_autoptr(GPtrArray) none = no_groups();
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        struct network_record record = {.decision = NETWORK_AUDITED, .port = 443, .count = 1};
        add_audited(self, names[i]);
        /* Nor past the parser. */
        g_strlcpy(record.name, names[i], sizeof record.name);
        network_unmatched_add(self, &record);
    }
    assert_suggests(self, "", none, "");
}

static void many_names(void)
{
    g_autoptr(network_unmatched) self = network_unmatched_new();
    g_autoptr(GPtrArray) none = no_groups();
    for (int i = 0; i < NETWORK_UNMATCHED_MAX + 100; i++) {
        g_autofree char *name = g_strdup_printf("n%d.example.com", i);
        add_audited(self, name);
    }
    add(self, "audited tcp - 443 50 0 0 0 - - - there were too many to list");
    add(self, "refused dns - 0 7 0 0 0 - - - there were too many to list");
    add(self, "allowed tcp - 443 9 0 0 0 - - - there were too many to list");
    g_assert_cmpuint(network_unmatched_lost(self), ==, 157);
    g_autoptr(GPtrArray) list = network_unmatched_suggest(self, NULL, none);
    g_assert_cmpuint(list->len, ==, NETWORK_UNMATCHED_MAX);
}

static void groups_take_the_place_of_rules(void)
{
    static char *wide[] = {(char *)"a.example.com",
                           (char *)"b.example.com",
                           (char *)"x.example.com",
                           (char *)"y.example.com",
                           (char *)"z.example.com",
                           (char *)"c.example.org",
                           NULL};
    static char *narrow[] = {(char *)"*.example.com", (char *)"other.example.org", NULL};
    static char *one[] = {(char *)"c.example.org", (char *)"@apt", NULL};
    static network_rule_group groups[] = {{(char *)"@wide", wide},
                                          {(char *)"@narrow", narrow},
                                          {(char *)"@one", one},
                                          {(char *)"@unknown", NULL}};
    g_autoptr(GPtrArray) all = g_ptr_array_new();
    for (gsize i = 0; i < G_N_ELEMENTS(groups); i++)
        g_ptr_array_add(all, &groups[i]);
    g_autoptr(network_unmatched) self = network_unmatched_new();
    add_audited(self, "b.example.com");
    add_audited(self, "b.example.com");
    add_audited(self, "a.example.com");
    add_audited(self, "c.example.org");
    add(self, "audited tcp a.example.com 22 1 0 0 0 - - - -");
    /* With @narrow nothing is left for @wide but one name; no group has port 22. */
    assert_suggests(self, "", all,
                    "@narrow 3 =a.example.com+b.example.com and 2, a.example.com:22 1, "
                    "c.example.org 1 @wide");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/network_unmatched/unmatched", what_a_rule_would_allow);
    g_test_add_func("/network_unmatched/decided", what_is_decided_by_now);
    g_test_add_func("/network_unmatched/hostile", hostile_names);
    g_test_add_func("/network_unmatched/many", many_names);
    g_test_add_func("/network_unmatched/groups", groups_take_the_place_of_rules);
    return g_test_run();
}
