/*
 * Fuzzes rules of [network] allow and deny. The input is a file of rules, a NUL, and a name with a
 * port as a program in a box may ask for it; and a request for it, behind the end of a line. What
 * is allowed must be allowed by a second matcher, which compares texts; a rule must be the same
 * after it is written and parsed again.
 */
#include <assert.h>
#include <glib.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/network_requests.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool text_matches(const struct network_rule *rule, const char *name, uint16_t port)
{
    char text[NETWORK_RULE_SIZE];
    network_rule_text(rule, text);
    if (rule->kind == RULE_NAME)
        text[strcspn(text, "/")] = '\0';
    const char *space = strchr(text, ' ');
    g_auto(GStrv) parts = g_strsplit(space ? space + 1 : text, ":", 2);
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

static char *decoded(const char *path)
{
    GString *out = g_string_new(NULL);
    for (; *path; path++) {
        char *end, number[3] = {path[0] == '%' ? path[1] : 0, path[1] ? path[2] : 0, 0};
        char c = (char)strtol(number, &end, 16);
        bool is_coded = number[0] && end == number + 2;
        g_string_append_c(out, is_coded ? c : *path);
        path += is_coded ? 2 : 0;
    }
    return g_string_free(out, FALSE);
}

static bool parts_match(const char *pattern, const char *path)
{
    g_auto(GStrv) wanted = g_strsplit(pattern, "/", -1);
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);
    guint i = 1;
    for (; wanted[i] && parts[i]; i++) {
        if (strcmp(wanted[i], "**") == 0 && !wanted[i + 1])
            return true;
        if (strcmp(wanted[i], "*") == 0 ? !*parts[i] : strcmp(wanted[i], parts[i]) != 0)
            return false;
    }
    return !wanted[i] && !parts[i];
}

/* What passes means the same after it is decoded once more, and has no part that is taken away. */
static void check_path(const char *target, const char *path)
{
    g_autofree char *once = decoded(path), *twice = decoded(once);
    assert(strcmp(once, twice) == 0 && *path == '/' && !strpbrk(once, "\\?#;%"));
    assert(!strstr(once, "//") && !strstr(once, "/./") && !strstr(once, "/../"));
    assert(!g_str_has_suffix(once, "/.") && !g_str_has_suffix(once, "/.."));
    g_autofree char *sent = g_strndup(target, strcspn(target, "?"));
    g_autofree char *meant = decoded(sent);
    assert(strcmp(meant, once) == 0);
}

/* A request of METHOD and TARGET, "METHOD TARGET", to NAME. */
static void check_request(const struct network_rules *rules, const char *name, uint16_t port,
                          const char *text)
{
    char path[REQUEST_PATH_SIZE], method[REQUEST_METHOD_SIZE];
    const char *why, *space = strchr(text, ' ');
    if (!space || request_method_parse(text, (size_t)(space - text), method, &why) < 0 ||
        request_path_normalise(space + 1, strlen(space + 1), path, &why) < 0)
        return;
    check_path(space + 1, path);
    const struct network_rule *host = network_rules_name(rules, name, port);
    bool allowed = host && !request_rule_is_set(&host->request);
    for (size_t i = 0; host && i < rules->count; i++) {
        const struct network_rule *each = &rules->rules[i];
        allowed |= !each->denies && request_rule_is_set(&each->request) &&
                   text_matches(each, name, port) &&
                   (!each->request.method[0] || strcmp(each->request.method, method) == 0) &&
                   (!each->request.path[0] || parts_match(each->request.path, path));
    }
    assert((network_requests_find(rules, name, port, method, path) != NULL) == allowed);
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
    if (nul && size - length > 3) {
        uint16_t port = (uint16_t)(nul[1] << 8 | nul[2]);
        g_autofree char *rest = g_strndup((const char *)nul + 3, size - length - 3);
        char *line = strchr(rest, '\n');
        if (line)
            *line = '\0';
        if (host_name_normalise(rest, strlen(rest), name) == 0) {
            check_decision(&rules, name, port);
            if (line)
                check_request(&rules, name, port, line + 1);
        }
    }
    network_rules_clear(&rules);
    return 0;
}
