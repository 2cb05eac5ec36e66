/* What a connection is for, and what audit lets through: a name that no rule has, and nothing else.
 */
#include "host/gate/target.h"

#include <arpa/inet.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "host/gate/fake_names.h"
#include "host/gate/secret_routes.h"
#include "proto/network_record.h"

static char *folder;

static void parse(const char *text, struct network_rules *rules)
{
    g_assert_cmpint(network_rules_parse(text, strlen(text), rules), ==, 0);
}

/* ADDRESS is a number, or a name that the box has asked for. */
static gboolean find(const struct network_rules *rules, const char *to, guint16 port,
                     struct target *target, const char **why)
{
    struct sockaddr_in6 dialled = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    struct in_addr number;
    guint32 address =
        inet_pton(AF_INET, to, &number) == 1 ? ntohl(number.s_addr) : fake_names_address(to, false);
    g_assert_cmpuint(address, !=, 0);
    dialled.sin6_addr = network_address_v4(address);
    return target_find(rules, &dialled, target, why) == 0;
}

static void put_secrets(const char *text)
{
    g_autofree char *path = g_build_filename(folder, SECRETS_HOSTS, NULL);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    g_assert_cmpint(secret_routes_load(folder), ==, 0);
}

static void audit_is_about_names_without_a_rule(void)
{
    struct network_rules rules;
    struct target target;
    const char *why = "";
    parse("audit\nallow a.example.com\ndeny *.b.example.com\ndeny c.example.com:80\n", &rules);
    g_assert_true(find(&rules, "a.example.com", 443, &target, &why));
    g_assert_false(target.is_audited);
    g_assert_true(find(&rules, "a.example.com", 80, &target, &why));
    g_assert_true(target.is_audited && target.first == FIRST_HTTP && !target.rule);
    g_assert_true(find(&rules, "other.example.org", 443, &target, &why));
    g_assert_true(target.is_audited && target.first == FIRST_TLS && !target.allows_ech);
    g_assert_true(find(&rules, "other.example.org", 22, &target, &why));
    g_assert_true(target.is_audited && target.first == FIRST_SSH);
    g_assert_true(find(&rules, "c.example.com", 443, &target, &why));
    /* What is denied, the host, numbers, and addresses that stand for no name. */
    g_assert_false(find(&rules, "x.b.example.com", 443, &target, &why));
    g_assert_cmpstr(why, ==, NETWORK_DENIED);
    g_assert_false(find(&rules, "c.example.com", 80, &target, &why));
    g_assert_cmpstr(why, ==, NETWORK_DENIED);
    g_assert_false(find(&rules, HOST_IN_BOX, 5432, &target, &why));
    g_assert_cmpstr(why, ==, NETWORK_NO_RULE);
    g_assert_false(find(&rules, "8.8.8.8", 443, &target, &why));
    g_assert_false(find(&rules, "198.18.200.7", 443, &target, &why));
    g_assert_false(target.is_audited);
    network_rules_clear(&rules);
}

/* A rule that denies, and one that says that audit is over, end what is open. */
static void new_rules_hold_for_what_is_audited(void)
{
    struct network_rules audits, denies, filters;
    struct target target;
    const char *why;
    parse("audit\n", &audits);
    parse("audit\ndeny open.example.com\n", &denies);
    parse("allow other.example.com\n", &filters);
    g_assert_true(find(&audits, "open.example.com", 443, &target, &why));
    g_assert_cmpint(target_renew(&audits, &target), ==, 0);
    g_assert_cmpint(target_renew(&denies, &target), ==, -1);
    g_assert_cmpint(target_renew(&filters, &target), ==, -1);
    g_assert_false(target.is_audited);
    network_rules_clear(&audits);
    network_rules_clear(&denies);
    network_rules_clear(&filters);
}

/* The rules of a secret decide where it goes, also in audit. */
static void audit_leads_no_secret_anywhere(void)
{
    struct network_rules rules, with;
    struct target target;
    const char *why;
    put_secrets("api.example.com 443 api.example.com 443\nbase.box 443 server.example.com 443\n");
    parse("audit\n", &rules);
    parse("audit\nallow api.example.com\nallow base.box\n", &with);
    g_assert_false(find(&rules, "api.example.com", 443, &target, &why));
    g_assert_false(find(&rules, "base.box", 443, &target, &why));
    g_assert_true(find(&with, "api.example.com", 443, &target, &why));
    g_assert_true(target.has_secret && !target.is_audited);
    /* The server behind a base URL needs a rule, too. */
    g_assert_false(find(&with, "base.box", 443, &target, &why));
    /* One that is attached while a connection is open does not come into it. */
    put_secrets("");
    g_assert_true(find(&rules, "late.example.com", 443, &target, &why));
    put_secrets("late.example.com 443 late.example.com 443\n");
    g_assert_cmpint(target_renew(&with, &target), ==, 0);
    g_assert_false(target.has_secret);
    network_rules_clear(&rules);
    network_rules_clear(&with);
}

static enum head_state check(struct target *target, const char *head, const char **why)
{
    g_autofree guint8 *data = g_malloc0(strlen(head) + TARGET_HEAD_ADDED);
    size_t length = strlen(head);
    memcpy(data, head, length);
    return target_check(target, data, &length, why);
}

/* A rule with a path lets nothing pass that nobody reads, and its change ends what is open. */
static void requests_need_a_reader(void)
{
    struct network_rules rules, same, others;
    struct target target;
    const char *why = "";
    put_secrets("read.example.com 443 read.example.com 443\n");
    parse("allow GET read.example.com/a\nallow GET x.example.com/a\nallow GET x.example.com:80/a\n",
          &rules);
    parse("deny y.example.com\nallow GET read.example.com/a\nallow GET x.example.com:80/a\n",
          &same);
    parse("allow GET read.example.com/b\nallow x.example.com:80\n", &others);
    g_assert_false(find(&rules, "x.example.com", 443, &target, &why));
    g_assert_true(find(&rules, "read.example.com", 443, &target, &why));
    g_assert_true(target.has_secret && target.first == FIRST_ANY);
    g_assert_cmpint(target_renew(&same, &target), ==, 0);
    g_assert_cmpint(target_renew(&others, &target), ==, -1);
    g_assert_true(find(&rules, "x.example.com", 80, &target, &why));
    g_assert_cmpint(check(&target, "GET /a?b HTTP/1.1\r\nHost: x.example.com\r\n\r\n", &why), ==,
                    HEAD_COMPLETE);
    g_assert_cmpint(check(&target, "GET /a/ HTTP/1.1\r\nHost: x.example.com\r\n\r\n", &why), ==,
                    HEAD_WRONG);
    g_assert_cmpstr(why, ==, "no rule allows GET x.example.com:80/a/");
    g_assert_cmpint(target_renew(&others, &target), ==, -1);
    network_rules_clear(&rules);
    network_rules_clear(&same);
    network_rules_clear(&others);
}

int main(int argc, char **argv)
{
    folder = g_dir_make_tmp("gate-target-XXXXXX", NULL);
    g_autofree char *names = g_build_filename(folder, "names", NULL);
    g_autofree char *secrets = g_build_filename(folder, SECRETS_HOSTS, NULL);
    g_assert_cmpint(fake_names_open(names), ==, 0);
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gate_target/audit", audit_is_about_names_without_a_rule);
    g_test_add_func("/gate_target/renewed", new_rules_hold_for_what_is_audited);
    g_test_add_func("/gate_target/secrets", audit_leads_no_secret_anywhere);
    g_test_add_func("/gate_target/requests", requests_need_a_reader);
    int status = g_test_run();
    g_unlink(names);
    g_unlink(secrets);
    g_rmdir(folder);
    g_free(folder);
    return status;
}
