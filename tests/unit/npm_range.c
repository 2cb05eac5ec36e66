/* Which versions a range of npm has. The rows were compared with npm's own "semver". */
#include "config/npm_range.h"

#include <string.h>

typedef struct {
    const char *range, *has, *lacks; /* versions, separated by spaces */
} row;

static const row rows[] = {
    {"", "1.2.3 0.0.0", "1.2.3-rc.1"},
    {"*", "1.2.3", "2.0.0-0"},
    {"1.2.3", "1.2.3 1.2.3+build", "1.2.4 1.2.3-rc"},
    {"=v1.2.3", "1.2.3", "1.2.2"},
    {"^1.2.3", "1.2.3 1.9.0", "1.2.2 2.0.0 1.9.0-rc 2.0.0-rc"},
    {"^0.2.3", "0.2.3 0.2.9", "0.3.0 0.2.2 1.0.0"},
    {"^0.0.3", "0.0.3", "0.0.4 0.1.0"},
    {"^0.0", "0.0.0 0.0.9", "0.1.0"},
    {"^0", "0.0.1 0.9.9", "1.0.0"},
    {"~1.2.3", "1.2.3 1.2.9", "1.3.0 1.2.2"},
    {"~1", "1.0.0 1.9.9", "2.0.0 0.9.0"},
    {"~> 1.2", "1.2.0 1.2.7", "1.3.0"},
    {"1.x", "1.0.0 1.99.0", "2.0.0"},
    {"1.2.*", "1.2.7", "1.3.0"},
    {">1.2", "1.3.0 2.0.0", "1.2.9"},
    {">=1.2", "1.2.0", "1.1.9"},
    {"<1.2", "1.1.9", "1.2.0 1.2.0-rc"},
    {"<=1.2", "1.2.9", "1.3.0"},
    {">=1.2.3 <1.5.0", "1.2.3 1.4.9", "1.5.0 1.2.2"},
    {">= 1.2.3", "1.2.3", "1.2.2"},
    {"1.2.3 - 2.1", "1.2.3 2.1.9", "2.2.0 1.2.2"},
    {"^1 || ^3.0.0", "1.5.0 3.1.0", "2.0.0"},
    {">=2.0.0-rc.2", "2.0.0-rc.2 2.0.0-rc.10 2.0.0 2.0.1", "2.0.0-rc.1 2.0.0-beta 2.0.1-rc.5"},
    {"2.0.0-alpha.1", "2.0.0-alpha.1", "2.0.0-alpha 2.0.0-alpha.beta 2.0.0-1"},
    {">*", "", "1.0.0"},
};

static void check_each(const char *range, const char *versions, npm_range_answer expected)
{
    g_auto(GStrv) list = g_strsplit(versions, " ", -1);
    for (char **each = list; *each; each++) {
        npm_range_answer answer = npm_range_check(range, *each);
        if (answer != expected)
            g_error("'%s' and %s: %d", range, *each, answer);
    }
}

static void ranges(void)
{
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        check_each(rows[i].range, rows[i].has, NPM_RANGE_HAS);
        check_each(rows[i].range, rows[i].lacks, NPM_RANGE_LACKS);
    }
}

static void no_range(void)
{
    static const char *const tags[] = {"latest",     "beta", "^",   ">",      "=>1",    "1.2.3.4",
                                       "^1 || beta", "1 -",  "~~1", "1.2.3-", "1.2-rc", "1.2.3-a|"};
    for (gsize i = 0; i < G_N_ELEMENTS(tags); i++)
        g_assert_cmpint(npm_range_check(tags[i], "1.2.3"), ==, NPM_RANGE_UNKNOWN);
}

static void no_version(void)
{
    static const char *const texts[] = {
        "",        "1",         "1.2",    "x",
        "1.2.3.4", "1.2.3 ",    "1.2.-3", "99999999999999999999.0.0",
        "1.2.3\n", "1.2.3-\xff"};
    g_autofree char *longest = g_strnfill(NPM_RANGE_MAX + 1, '1');
    for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
        g_assert_cmpint(npm_range_check("*", texts[i]), ==, NPM_RANGE_UNKNOWN);
    g_assert_cmpint(npm_range_check("*", longest), ==, NPM_RANGE_UNKNOWN);
    g_assert_cmpint(npm_range_check(longest, "1.2.3"), ==, NPM_RANGE_UNKNOWN);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/npm-range/ranges", ranges);
    g_test_add_func("/npm-range/no-range", no_range);
    g_test_add_func("/npm-range/no-version", no_version);
    return g_test_run();
}
