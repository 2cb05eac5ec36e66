#include "proto/network_requests.h"

#include <stdio.h>
#include <string.h>

bool network_rule_covers(const struct network_rule *wide, const struct network_rule *narrow)
{
    struct network_rule a = *wide, b = *narrow;
    char text[NETWORK_RULE_SIZE], other[NETWORK_RULE_SIZE];
    a.request = b.request = (struct request_rule){0};
    network_rule_text(&a, text);
    network_rule_text(&b, other);
    return a.denies == b.denies && strcmp(text, other) == 0 &&
           request_rule_covers(&wide->request, &narrow->request);
}

static bool is_for(const struct network_rule *rule, const char *name, uint16_t port)
{
    return !rule->denies && rule->kind == RULE_NAME && rule->port == port &&
           strcmp(rule->name, name) == 0;
}

/* The rules that decide, from *AT on, which begins with 0 and stays so when every request may pass;
 * NULL: there is none any more. */
static const struct network_rule *next(const struct network_rules *rules, const char *name,
                                       uint16_t port, size_t *at)
{
    const struct network_rule *first = *at == 0 ? network_rules_name(rules, name, port) : NULL;
    if (*at == 0 && (!first || !request_rule_is_set(&first->request)))
        return NULL;
    while (*at < rules->count) {
        const struct network_rule *each = &rules->rules[(*at)++];
        if (is_for(each, name, port) && request_rule_is_set(&each->request))
            return each;
    }
    return NULL;
}

const struct network_rule *network_requests_find(const struct network_rules *rules,
                                                 const char *name, uint16_t port,
                                                 const char *method, const char *path)
{
    const struct network_rule *each = network_rules_name(rules, name, port);
    if (!each || !request_rule_is_set(&each->request))
        return each;
    for (size_t at = 0; (each = next(rules, name, port, &at));)
        if (request_rule_matches(&each->request, method, path))
            return each;
    return NULL;
}

/* A box has chosen the path, and who reads the command may give it to a shell: no quote and no
 * star, which would be a pattern. */
static bool is_plain(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                " /._~%+@:,=-";
    return !text[strspn(text, plain)];
}

static void refuse(struct request_refusal *why, struct network_rule *asked, const char *path)
{
    char text[NETWORK_RULE_SIZE];
    struct network_rule again;
    const char *wrong;
    size_t length = strlen(path);
    if (length >= sizeof asked->request.path) {
        snprintf(why->reason, sizeof why->reason, "no rule allows its path, which is long");
        return;
    }
    memcpy(asked->request.path, path, length + 1);
    network_rule_text(asked, text);
    snprintf(why->reason, sizeof why->reason, "no rule allows %.*s", NETWORK_REASON_SIZE - 16,
             text);
    if (is_plain(text) && network_rule_parse(text, false, &again, &wrong) == 0)
        snprintf(why->command, sizeof why->command, "box net allow '%s'", text);
}

void request_refusal_text(const struct request_refusal *self, char text[REQUEST_REFUSAL_SIZE])
{
    snprintf(text, REQUEST_REFUSAL_SIZE, self->command[0] ? "%s; on the host, \"%s\" would" : "%s",
             self->reason, self->command);
}

bool network_requests_allow(const struct network_rules *rules, const char *name, uint16_t port,
                            const struct http_message *request, struct request_refusal *why)
{
    char path[REQUEST_PATH_SIZE];
    const char *wrong;
    struct network_rule asked = {.kind = RULE_NAME, .port = port};
    *why = (struct request_refusal){0};
    if (request->asks_upgrade || request->overrides) {
        snprintf(why->reason, sizeof why->reason, "a rule with methods or paths allows no %s",
                 request->asks_upgrade ? "other protocol" : "field that changes them");
        return false;
    }
    if (request_method_parse(request->method.text, request->method.length, asked.request.method,
                             &wrong) < 0) {
        snprintf(why->reason, sizeof why->reason, "its method is none of a rule");
        return false;
    }
    if (strcmp(asked.request.method, "CONNECT") == 0) { /* what follows is no request */
        snprintf(why->reason, sizeof why->reason, "CONNECT does not pass");
        return false;
    }
    /* Many servers read no such body, and take it for the next request. */
    if (!http_body_has_ended(&request->body) &&
        (strcmp(asked.request.method, "GET") == 0 || strcmp(asked.request.method, "HEAD") == 0)) {
        snprintf(why->reason, sizeof why->reason, "a GET or HEAD with a body does not pass");
        return false;
    }
    if (request_path_normalise(request->target.text, request->target.length, path, &wrong) < 0) {
        snprintf(why->reason, sizeof why->reason, "its path %s", wrong);
        return false;
    }
    if (network_requests_find(rules, name, port, asked.request.method, path))
        return true;
    snprintf(asked.name, sizeof asked.name, "%s", name);
    refuse(why, &asked, path);
    return false;
}

ssize_t network_requests_write(const struct network_rules *rules, const char *name, uint16_t port,
                               char *text, size_t size)
{
    size_t used = 0, at = 0;
    char rule[NETWORK_RULE_SIZE];
    for (const struct network_rule *each; (each = next(rules, name, port, &at));) {
        network_rule_text(each, rule);
        int length = snprintf(text + used, size - used, "allow %s\n", rule);
        if (length < 0 || (size_t)length >= size - used)
            return -1;
        used += (size_t)length;
    }
    return (ssize_t)used;
}

/* FNV-1a, of 64 bits: rules are the user's, not the box's. */
static uint64_t add_text(uint64_t digest, const char *text)
{
    do {
        digest = (digest ^ (unsigned char)*text) * 0x100000001b3;
    } while (*text++);
    return digest;
}

uint64_t network_requests_digest(const struct network_rules *rules, const char *name, uint16_t port)
{
    uint64_t digest = 0xcbf29ce484222325;
    size_t at = 0;
    char rule[NETWORK_RULE_SIZE];
    for (const struct network_rule *each; (each = next(rules, name, port, &at));) {
        network_rule_text(each, rule);
        digest = add_text(digest, rule);
    }
    return at ? digest : 0;
}
