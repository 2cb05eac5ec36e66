/* Lines of the log of a filtered network: written and read back, and what is none. */
#include "proto/network_record.h"

#include <glib.h>

static void records_are_read_back(void)
{
    static const struct network_record table[] = {
        {NETWORK_ALLOWED, NETWORK_CONNECTION, "api.example.com", 443, 1, 1234, 567890123456, 1500,
         "allow:*.example.com", "", "tmux:?server", "github"},
        {NETWORK_REFUSED, NETWORK_NAME, "evil.example", 0, 12, 0, 0, 0, "", "no rule allows it"},
        {NETWORK_REFUSED, NETWORK_CONNECTION, "[2001:db8::5]", 80, 1, 0, 0, 3, "", "no"},
        {NETWORK_REFUSED, NETWORK_CONNECTION, "10.0.0.5", 5432, 1, 0, 0, 3, "deny:10.0.0.0/8",
         "a rule denies it"},
        {NETWORK_REFUSED, NETWORK_CONNECTION, "", 22, 1, 0, 0, 0, "", "-x"},
        {NETWORK_REFUSED, NETWORK_CONNECTION, "a.example", 443, 1, 5, 6, 7,
         "allow:GET a.example/b+c/**", "no rule allows POST a.example/x"},
        {NETWORK_ALLOWED, NETWORK_CONNECTION, "a.example", 443, 1, 5, 6, 7, "allow:a.example/b+c",
         ""},
        {NETWORK_AUDITED, NETWORK_CONNECTION, "a.example", 443, 1, 5, 6, 7, "",
         NETWORK_WOULD_REFUSE},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(table); i++) {
        char line[NETWORK_RECORD_SIZE], again[NETWORK_RECORD_SIZE];
        struct network_record parsed;
        network_record_write(&table[i], line);
        g_assert_cmpint(network_record_parse(line, &parsed), ==, 0);
        g_assert_cmpstr(parsed.name, ==, table[i].name);
        g_assert_cmpuint(parsed.received, ==, table[i].received);
        g_assert_cmpstr(parsed.rule, ==, table[i].rule);
        g_assert_cmpstr(parsed.reason, ==, table[i].reason);
        g_assert_cmpstr(parsed.program, ==, table[i].program);
        g_assert_cmpstr(parsed.secret, ==, table[i].secret);
        network_record_write(&parsed, again);
        g_assert_cmpstr(line, ==, again);
    }
}

static void other_lines_are_no_records(void)
{
    static const char *const lines[] = {
        "",
        "allowed",
        "allowed tcp a.example.com 443 1 2 3 4 -",
        "allowed tcp a.example.com 443 1 2 3 4 - - - ",
        "Allowed tcp a.example.com 443 1 2 3 4 - - - -",
        "allowed udp a.example.com 443 1 2 3 4 - - - -",
        "allowed  tcp a.example.com 443 1 2 3 4 - - - -",
        "allowed tcp 10.0.0.0/8 443 1 2 3 4 - - - -",
        "allowed tcp localhost 443 1 2 3 4 - - - -",
        "allowed tcp a_b.example.com 443 1 2 3 4 - - - -",
        "allowed tcp a.example.com 65536 1 2 3 4 - - - -",
        "allowed tcp a.example.com 443 -1 2 3 4 - - - -",
        "allowed tcp a.example.com 443 01 2 3 4 - - - -",
        "allowed tcp a.example.com 443 1 2 3 9999999999999999999 - - - -",
        "allowed tcp a.example.com 443 1 2 3 4 x:a.example.com - - -",
        "allowed tcp a.example.com 443 1 2 3 4 allow:host - - -",
        "allowed tcp a.example.com 443 1 2 3 4 - 0123456789abcdef - -",
        "allowed tcp a.example.com 443 1 2 3 4 - a\033b - -",
        "allowed tcp a.example.com 443 1 2 3 4 - - \xc3\xbc -",
        "allowed tcp a.example.com 443 1 2 3 4 - - -",
        "allowed tcp a.example.com 443 1 2 3 4 - - - \033[31m",
        "allowed tcp a.example.com 443 1 2 3 4 - - - a\tb",
        "allowed tcp a.example.com 443 1 2 3 4 - - - \xc3\xbc",
        "box 'shop' was allowed tcp a.example.com 443 1 2 3 4 - - - -",
    };
    struct network_record parsed;
    for (gsize i = 0; i < G_N_ELEMENTS(lines); i++)
        if (network_record_parse(lines[i], &parsed) == 0)
            g_error("%s", lines[i]);
    g_autofree char *reason = g_strnfill(NETWORK_REASON_SIZE, 'x');
    g_autofree char *line =
        g_strdup_printf("allowed tcp a.example.com 443 1 2 3 4 - - - %s", reason);
    g_assert_cmpint(network_record_parse(line, &parsed), ==, -1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/network_record/read_back", records_are_read_back);
    g_test_add_func("/network_record/others", other_lines_are_no_records);
    return g_test_run();
}
