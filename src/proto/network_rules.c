#include "proto/network_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/wrong_because.h"

#define LABEL_MAX 63
#define HOST_WORD "host"

/* Names. */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_label(const char *label, size_t length)
{
    if (length == 0 || length > LABEL_MAX || label[0] == '-' || label[length - 1] == '-')
        return false;
    for (size_t i = 0; i < length; i++)
        if (!is_digit(label[i]) && label[i] != '-' && (label[i] < 'a' || label[i] > 'z'))
            return false;
    return true;
}

/* inet_aton(3) and browsers read "127.1", "0x7f.1" and "2130706433" as addresses. A top-level
 * domain begins with a letter (RFC 3696, 2). */
static bool looks_like_number(const char *label)
{
    return is_digit(label[0]);
}

/* LABELS: how many it has at least. */
static int normalise_name(const char *text, size_t length, int labels, char name[HOST_NAME_SIZE])
{
    if (length > 0 && text[length - 1] == '.')
        length--;
    if (length == 0 || length >= HOST_NAME_SIZE)
        return -1;
    for (size_t i = 0; i < length; i++)
        name[i] = lower(text[i]);
    name[length] = '\0';
    int count = 0;
    for (char *label = name; label; count++) {
        char *dot = memchr(label, '.', length - (size_t)(label - name));
        size_t size = dot ? (size_t)(dot - label) : length - (size_t)(label - name);
        if (!is_label(label, size))
            return -1;
        if (!dot && (looks_like_number(label) || strcmp(label, "localhost") == 0))
            return -1;
        label = dot ? dot + 1 : NULL;
    }
    return count >= labels ? 0 : -1;
}

int host_name_normalise(const char *text, size_t length, char name[HOST_NAME_SIZE])
{
    return normalise_name(text, length, 2, name);
}

bool host_name_is_below(const char *name, const char *domain)
{
    size_t length = strlen(name), end = strlen(domain);
    return length > end + 1 && name[length - end - 1] == '.' &&
           strcmp(name + length - end, domain) == 0;
}

/* Rules as text. */

/* 1 to 65535; 0 when TEXT is none of them. */
static uint16_t parse_port(const char *text)
{
    unsigned long port = 0;
    size_t length = strlen(text);
    if (length == 0 || length > 5 || text[0] == '0' || text[strspn(text, "0123456789")])
        return 0;
    port = strtoul(text, NULL, 10);
    return port <= UINT16_MAX ? (uint16_t)port : 0;
}

static int parse_address_rule(const char *text, struct network_rule *rule, const char **wrong)
{
    rule->kind = RULE_ADDRESS;
    if (network_prefix_parse(text, &rule->network, wrong) < 0)
        return -1;
    if (rule->denies)
        return 0;
    if (network_address_is_never(&rule->network.address))
        return wrong_because(wrong, "must not be a loopback, link-local or reserved address");
    if (rule->network.bits < 128 && !network_prefix_is_private(&rule->network))
        return wrong_because(wrong, "must be a part of a private network, or a single address");
    return 0;
}

static int parse_name_rule(const char *text, struct network_rule *rule, const char **wrong)
{
    rule->kind = strncmp(text, "*.", 2) == 0 ? RULE_SUBDOMAINS : RULE_NAME;
    text += rule->kind == RULE_SUBDOMAINS ? 2 : 0;
    bool is_name = host_name_normalise(text, strlen(text), rule->name) == 0;
    bool is_host = is_name && rule->kind == RULE_NAME && strcmp(rule->name, HOST_IN_BOX) == 0;
    /* It has a kind of its own, so that no rule for names lets it be reached. A deny means what it
     * says. */
    if ((is_host && !rule->denies) || strcmp(text, "localhost") == 0)
        return wrong_because(wrong, "must be host:PORT, if it is the loopback of this machine");
    if (is_host) {
        rule->kind = RULE_HOST;
        rule->name[0] = '\0';
    }
    if (is_name)
        return 0;
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c >= 0x80)
            return wrong_because(wrong, "must be in ASCII: write the name with 'xn--'");
    return wrong_because(wrong, "must be NAME, *.NAME, ADDRESS, NETWORK/BITS or host, and perhaps "
                                ":PORT; NAME is a full one such as api.example.com");
}

/* Cuts the method and the path off *COPY, which is then what is between them. An address may have a
 * '/' of its own. */
static int take_request(char **copy, struct request_rule *request, const char **wrong)
{
    char *space = strchr(*copy, ' ');
    if (space && request_method_parse(*copy, (size_t)(space - *copy), request->method, wrong) < 0)
        return -1;
    *copy = space ? space + 1 : *copy;
    bool is_address = **copy == '[' || !(*copy)[strspn(*copy, "0123456789./:")];
    char *path = is_address ? NULL : strchr(*copy, '/');
    if (path && path > *copy && path[-1] == ':' && path[1] == '/')
        return wrong_because(wrong, "must begin with the name: no 'https://' or another scheme");
    if (path && request_pattern_parse(path, request->path, wrong) < 0)
        return -1;
    if (path && memchr(*copy, ':', (size_t)(path - *copy)) &&
        (strcmp(request->path, "/tcp") == 0 || strcmp(request->path, "/udp") == 0))
        return wrong_because(wrong, "must not end in '/tcp' or '/udp': rules are for TCP, and "
                                    "nothing else leaves the box");
    if (path)
        *path = '\0';
    return 0;
}

static int parse_host(char *copy, struct network_rule *rule, const char **wrong)
{
    /* An address of IPv6 has colons of its own. */
    char *bracket = copy[0] == '[' ? strchr(copy, ']') : NULL;
    char *colon = strchr(bracket ? bracket : copy, ':');
    if (colon) {
        *colon = '\0';
        rule->port = parse_port(colon + 1);
        if (rule->port == 0)
            return wrong_because(wrong, "must have a port from 1 to 65535 behind the ':', and an "
                                        "IPv6 address in brackets, such as [2001:db8::5]:5432");
    }
    if (strcmp(copy, HOST_WORD) == 0) {
        rule->kind = RULE_HOST;
        return colon || rule->denies ? 0
                                     : wrong_because(wrong, "must name a port, such as host:5432");
    }
    return copy[0] == '[' || (copy[0] && !copy[strspn(copy, "0123456789./")])
               ? parse_address_rule(copy, rule, wrong)
               : parse_name_rule(copy, rule, wrong);
}

int network_rule_parse(const char *text, bool denies, struct network_rule *rule, const char **wrong)
{
    char copy[NETWORK_RULE_SIZE], *host = copy;
    size_t length = strlen(text);
    *rule = (struct network_rule){.denies = denies, .port = denies ? 0 : HTTPS_PORT};
    if (length >= sizeof copy)
        return wrong_because(wrong, "must be shorter");
    memcpy(copy, text, length + 1);
    if (take_request(&host, &rule->request, wrong) < 0 || parse_host(host, rule, wrong) < 0)
        return -1;
    if (!request_rule_is_set(&rule->request))
        return 0;
    if (strcmp(rule->request.method, "CONNECT") == 0)
        return wrong_because(wrong, "must not have the method CONNECT, which never passes");
    /* What a rule denies must not depend on how a path is read. A certificate is for one name. */
    if (denies)
        return wrong_because(wrong, "must have no method or path in deny: list what allow lets "
                                    "through");
    if (rule->kind != RULE_NAME || host_name_is_below(rule->name, "box.internal"))
        return wrong_because(wrong,
                             "must have one full name of a server if it has a method or path");
    return 0;
}

void network_rule_text(const struct network_rule *rule, char text[NETWORK_RULE_SIZE])
{
    char port[8] = "", address[NETWORK_ADDRESS_SIZE];
    if (rule->port && (rule->denies || rule->port != HTTPS_PORT || rule->kind == RULE_HOST))
        snprintf(port, sizeof port, ":%u", rule->port);
    switch (rule->kind) {
    case RULE_NAME:
    case RULE_SUBDOMAINS:
        snprintf(text, NETWORK_RULE_SIZE, "%s%s%s%s%s%s", rule->request.method,
                 rule->request.method[0] ? " " : "", rule->kind == RULE_NAME ? "" : "*.",
                 rule->name, port, rule->request.path);
        return;
    case RULE_ADDRESS:
        network_prefix_text(&rule->network, address);
        snprintf(text, NETWORK_RULE_SIZE, "%s%s", address, port);
        return;
    case RULE_HOST:
        snprintf(text, NETWORK_RULE_SIZE, HOST_WORD "%s", port);
        return;
    }
}

/* The file. */

/* Room for "deny ", a rule, a tab and where it comes from. */
#define LINE_SIZE (NETWORK_RULE_SIZE + 160)

static int parse_line(const char *line, struct network_rule *rule)
{
    const char *wrong;
    if (strncmp(line, "allow ", 6) == 0)
        return network_rule_parse(line + 6, false, rule, &wrong);
    return strncmp(line, "deny ", 5) == 0 ? network_rule_parse(line + 5, true, rule, &wrong) : -1;
}

/* FALSE: LINE is none. */
static bool parse_connections(const char *line, struct network_rules *self)
{
    char *end;
    const char *number = line + strlen(NETWORK_RULES_CONNECTIONS);
    if (strncmp(line, NETWORK_RULES_CONNECTIONS, strlen(NETWORK_RULES_CONNECTIONS)) != 0 ||
        *number < '1' || *number > '9')
        return false;
    unsigned long read = strtoul(number, &end, 10);
    self->connections = (unsigned)read;
    return !*end && read <= NETWORK_CONNECTIONS_MAX;
}

/* FALSE: LINE is none. */
static bool parse_switch(const char *line, struct network_rules *self)
{
    if (strcmp(line, NETWORK_RULES_ECH) == 0)
        self->allows_ech = true;
    else if (strcmp(line, NETWORK_RULES_ASK) == 0)
        self->unlisted = UNLISTED_ASKED;
    else if (strcmp(line, NETWORK_RULES_AUDIT) == 0)
        self->unlisted = UNLISTED_AUDITED;
    else
        return parse_connections(line, self);
    return true;
}

int network_rules_parse(const char *data, size_t size, struct network_rules *self)
{
    char line[LINE_SIZE];
    *self = (struct network_rules){.connections = NETWORK_CONNECTIONS};
    for (const char *end = data + size; data < end;) {
        const char *stop = memchr(data, '\n', (size_t)(end - data));
        size_t length = stop ? (size_t)(stop - data) : 0;
        if (!stop || length >= sizeof line || memchr(data, '\0', length) ||
            self->count == NETWORK_RULES_MAX)
            goto wrong;
        memcpy(line, data, length);
        line[length] = '\0';
        line[strcspn(line, "\t")] = '\0';
        data = stop + 1;
        if (parse_switch(line, self))
            continue;
        struct network_rule *grown =
            reallocarray(self->rules, self->count + 1, sizeof *self->rules);
        if (!grown)
            goto wrong;
        self->rules = grown;
        if (parse_line(line, &grown[self->count]) < 0)
            goto wrong;
        self->count++;
    }
    return 0;
wrong:
    network_rules_clear(self);
    return -1;
}

void network_rules_clear(struct network_rules *self)
{
    free(self->rules);
    *self = (struct network_rules){0};
}
