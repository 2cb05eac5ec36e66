/*
 * Fuzzes rules of [network] allow and deny. The input is a file of rules, a NUL, and a name with a
 * port as a program in a box may ask for it. What is allowed must be allowed by a second matcher,
 * which compares texts; a rule must be the same after it is written and parsed again.
 */
#include <assert.h>
#include <glib.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/network_rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool text_matches(const struct network_rule *rule, const char *name, uint16_t port)
{
    char text[NETWORK_RULE_SIZE];
    network_rule_text(rule, text);
    g_auto(GStrv) parts = g_strsplit(text, ":", 2);
    unsigned wanted = parts[1] ? (unsigned)atoi(parts[1]) : rule->denies ? port : 443;
    bool is_host = strcmp(parts[0], "host") == 0;
    if (wanted != port || is_host != (strcmp(name, HOST_IN_BOX) == 0))
        return false;
    return is_host || strcmp(parts[0], name) == 0 ||
           (g_str_has_prefix(parts[0], "*.") && g_str_has_suffix(name, parts[0] + 1) &&
            strlen(name) > strlen(parts[0] + 1));
}

static void check_decision(const struct network_rules *rules, const char *name, uint16_t port)
{
    bool allowed = false, denied = false;
    for (size_t i = 0; i < rules->count; i++)
        *(rules->rules[i].denies ? &denied : &allowed) |=
            text_matches(&rules->rules[i], name, port);
    assert((network_rules_name(rules, name, port) != NULL) == (allowed && !denied));
    if (network_rules_name(rules, name, port))
        assert(network_rules_has_name(rules, name));
}

static void check_texts(const struct network_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++) {
        char text[NETWORK_RULE_SIZE], again[NETWORK_RULE_SIZE];
        struct network_rule rule;
        const char *wrong;
        network_rule_text(&rules->rules[i], text);
        assert(network_rule_parse(text, rules->rules[i].denies, &rule, &wrong) == 0);
        network_rule_text(&rule, again);
        assert(strcmp(text, again) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *nul = memchr(data, '\0', size);
    size_t length = nul ? (size_t)(nul - data) : size;
    struct network_rules rules;
    char name[HOST_NAME_SIZE];
    if (network_rules_parse((const char *)data, length, &rules) < 0)
        return 0;
    check_texts(&rules);
    if (nul && size - length > 3 &&
        host_name_normalise((const char *)nul + 3, size - length - 3, name) == 0)
        check_decision(&rules, name, (uint16_t)(nul[1] << 8 | nul[2]));
    network_rules_clear(&rules);
    return 0;
}
