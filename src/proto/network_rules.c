#include "proto/network_rules.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_MAX 63
#define HTTPS_PORT 443
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
static int normalise(const char *text, size_t length, int labels, char name[HOST_NAME_SIZE])
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
    return normalise(text, length, 2, name);
}

/* Addresses. */

struct range {
    uint32_t address;
    int prefix;
};

static bool is_within(uint32_t address, uint32_t network, int prefix)
{
    return prefix == 0 || (address ^ network) >> (32 - prefix) == 0;
}

static bool is_in_any(uint32_t address, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_within(address, ranges[i].address, ranges[i].prefix))
            return true;
    return false;
}

/* RFC 6890: "this" network, loopback, link-local, protocol assignments, multicast, reserved; and
 * the address at which Azure has the services that others have at 169.254.169.254. */
static const struct range never[] = {
    {0x00000000, 8}, {0x7f000000, 8}, {0xa9fe0000, 16}, {0xc0000000, 24},
    {0xe0000000, 4}, {0xf0000000, 4}, {0xa83f8110, 32}, {FAKE_NETWORK, FAKE_PREFIX},
};
/* RFC 1918, and RFC 6598 for carriers and VPNs. */
static const struct range private[] = {
    {0x0a000000, 8}, {0xac100000, 12}, {0xc0a80000, 16}, {0x64400000, 10}};

#define IS_IN(address, ranges) is_in_any(address, ranges, sizeof(ranges) / sizeof *(ranges))

static bool is_private_network(uint32_t address, int prefix)
{
    for (size_t i = 0; i < sizeof private / sizeof *private; i++)
        if (prefix >= private[i].prefix &&
            is_within(address, private[i].address, private[i].prefix))
            return true;
    return false;
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

static int wrong_because(const char **wrong, const char *why)
{
    *wrong = why;
    return -1;
}

/* TEXT is made of digits, dots and perhaps a slash alone. */
static int parse_address(char *text, struct network_rule *rule, const char **wrong)
{
    struct in_addr parsed;
    char *slash = strchr(text, '/');
    rule->kind = RULE_ADDRESS;
    rule->prefix = 32;
    if (slash) {
        *slash++ = '\0';
        size_t length = strspn(slash, "0123456789");
        rule->prefix = atoi(slash);
        if (length == 0 || length > 2 || slash[length] || rule->prefix > 32 ||
            (slash[0] == '0' && length > 1))
            return wrong_because(wrong, "must have 0 to 32 behind the '/'");
    }
    if (inet_pton(AF_INET, text, &parsed) != 1)
        return wrong_because(wrong, "must be an address such as 10.0.0.5, in full");
    rule->address = ntohl(parsed.s_addr);
    if (rule->prefix < 32 && rule->address << rule->prefix && rule->prefix > 0)
        return wrong_because(wrong, "must be the first address of its network");
    if (rule->denies)
        return 0;
    if (IS_IN(rule->address, never))
        return wrong_because(wrong, "must not be a loopback, link-local or reserved address");
    if (rule->prefix < 32 && !is_private_network(rule->address, rule->prefix))
        return wrong_because(wrong, "must be a part of a private network, or a single address");
    return 0;
}

static int parse_name(const char *text, struct network_rule *rule, const char **wrong)
{
    rule->kind = strncmp(text, "*.", 2) == 0 ? RULE_SUBDOMAINS : RULE_NAME;
    text += rule->kind == RULE_SUBDOMAINS ? 2 : 0;
    if (host_name_normalise(text, strlen(text), rule->name) == 0)
        return 0;
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c >= 0x80)
            return wrong_because(wrong, "must be in ASCII: write the name with 'xn--'");
    return wrong_because(wrong, "must be NAME, *.NAME, ADDRESS, NETWORK/BITS or host, and perhaps "
                                ":PORT; NAME is a full one such as api.example.com");
}

int network_rule_parse(const char *text, bool denies, struct network_rule *rule, const char **wrong)
{
    char copy[NETWORK_RULE_SIZE];
    size_t length = strlen(text);
    *rule = (struct network_rule){.denies = denies, .port = denies ? 0 : HTTPS_PORT};
    if (length >= sizeof copy)
        return wrong_because(wrong, "must be shorter");
    memcpy(copy, text, length + 1);
    char *colon = strchr(copy, ':');
    if (colon) {
        *colon = '\0';
        rule->port = parse_port(colon + 1);
        if (rule->port == 0)
            return wrong_because(wrong, "must have a port from 1 to 65535 behind the ':' (IPv6 "
                                        "addresses are not supported)");
    }
    if (strcmp(copy, HOST_WORD) == 0) {
        rule->kind = RULE_HOST;
        return colon || denies ? 0 : wrong_because(wrong, "must name a port, such as host:5432");
    }
    return copy[0] && !copy[strspn(copy, "0123456789./")] ? parse_address(copy, rule, wrong)
                                                          : parse_name(copy, rule, wrong);
}

void network_rule_text(const struct network_rule *rule, char text[NETWORK_RULE_SIZE])
{
    char port[8] = "", address[INET_ADDRSTRLEN], bits[16] = "";
    struct in_addr number = {htonl(rule->address)};
    if (rule->port && (rule->denies || rule->port != HTTPS_PORT || rule->kind == RULE_HOST))
        snprintf(port, sizeof port, ":%u", rule->port);
    switch (rule->kind) {
    case RULE_NAME:
    case RULE_SUBDOMAINS:
        snprintf(text, NETWORK_RULE_SIZE, "%s%s%s", rule->kind == RULE_NAME ? "" : "*.", rule->name,
                 port);
        return;
    case RULE_ADDRESS:
        inet_ntop(AF_INET, &number, address, sizeof address);
        if (rule->prefix < 32)
            snprintf(bits, sizeof bits, "/%d", rule->prefix);
        snprintf(text, NETWORK_RULE_SIZE, "%s%s%s", address, bits, port);
        return;
    case RULE_HOST:
        snprintf(text, NETWORK_RULE_SIZE, HOST_WORD "%s", port);
        return;
    }
}

/* The file. */

static int parse_line(const char *line, struct network_rule *rule)
{
    const char *wrong;
    if (strncmp(line, "allow ", 6) == 0)
        return network_rule_parse(line + 6, false, rule, &wrong);
    return strncmp(line, "deny ", 5) == 0 ? network_rule_parse(line + 5, true, rule, &wrong) : -1;
}

int network_rules_parse(const char *data, size_t size, struct network_rules *self)
{
    char line[NETWORK_RULE_SIZE + 8];
    *self = (struct network_rules){0};
    for (const char *end = data + size; data < end;) {
        const char *stop = memchr(data, '\n', (size_t)(end - data));
        size_t length = stop ? (size_t)(stop - data) : 0;
        if (!stop || length >= sizeof line || memchr(data, '\0', length) ||
            self->count == NETWORK_RULES_MAX)
            goto wrong;
        memcpy(line, data, length);
        line[length] = '\0';
        data = stop + 1;
        if (strcmp(line, NETWORK_RULES_ECH) == 0) {
            self->allows_ech = true;
            continue;
        }
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

/* Decisions. */

static bool is_below(const char *name, const char *domain)
{
    size_t length = strlen(name), end = strlen(domain);
    return length > end + 1 && name[length - end - 1] == '.' &&
           strcmp(name + length - end, domain) == 0;
}

static bool matches_name(const struct network_rule *rule, const char *name)
{
    switch (rule->kind) {
    case RULE_NAME:
        return strcmp(rule->name, name) == 0 && strcmp(name, HOST_IN_BOX) != 0;
    case RULE_SUBDOMAINS:
        return is_below(name, rule->name) && strcmp(name, HOST_IN_BOX) != 0;
    case RULE_HOST:
        return strcmp(name, HOST_IN_BOX) == 0;
    case RULE_ADDRESS:
        return false;
    }
    return false;
}

static bool matches_address(const struct network_rule *rule, uint32_t address)
{
    return rule->kind == RULE_ADDRESS && is_within(address, rule->address, rule->prefix);
}

static bool matches_port(const struct network_rule *rule, uint16_t port)
{
    return rule->port == 0 || rule->port == port;
}

const struct network_rule *network_rules_decide(const struct network_rules *self, const char *name,
                                                uint16_t port)
{
    const struct network_rule *found = NULL;
    for (size_t i = 0; i < self->count; i++) {
        const struct network_rule *each = &self->rules[i];
        if (!matches_port(each, port) || !matches_name(each, name))
            continue;
        if (each->denies)
            return each;
        found = found ? found : each;
    }
    return found;
}

const struct network_rule *network_rules_name(const struct network_rules *self, const char *name,
                                              uint16_t port)
{
    const struct network_rule *rule = network_rules_decide(self, name, port);
    return rule && !rule->denies ? rule : NULL;
}

const struct network_rule *network_rules_decide_address(const struct network_rules *self,
                                                        uint32_t address, uint16_t port)
{
    const struct network_rule *found = NULL;
    for (size_t i = 0; i < self->count; i++) {
        const struct network_rule *each = &self->rules[i];
        if (!matches_port(each, port) || !matches_address(each, address))
            continue;
        if (each->denies)
            return each;
        /* A single address says more than its network; see network_rules_refuse(). */
        found = found && found->prefix >= each->prefix ? found : each;
    }
    return IS_IN(address, never) ? NULL : found;
}

const struct network_rule *network_rules_address(const struct network_rules *self, uint32_t address,
                                                 uint16_t port)
{
    const struct network_rule *rule = network_rules_decide_address(self, address, port);
    return rule && !rule->denies ? rule : NULL;
}

bool network_rules_has_name(const struct network_rules *self, const char *name)
{
    for (size_t i = 0; i < self->count; i++) {
        const struct network_rule *each = &self->rules[i];
        if (!each->denies && matches_name(each, name) && network_rules_name(self, name, each->port))
            return true;
    }
    return false;
}

static const char *refuse_v4(const struct network_rules *self, uint32_t address, uint16_t port,
                             bool is_own)
{
    const struct network_rule *rule = network_rules_decide_address(self, address, port);
    if (IS_IN(address, never))
        return "it is a loopback, link-local or reserved address";
    if (rule && rule->denies)
        return "a rule denies its address";
    if (is_own && (!rule || rule->prefix < 32))
        return "it is an address of this machine, which no rule names";
    if (IS_IN(address, private) && !rule)
        return "it is a private address, which no rule names";
    return NULL;
}

/* Global unicast alone, and none that stands for an IPv4 address: IPv4-mapped and -compatible,
 * NAT64 and 6to4 lie outside of 2000::/3 or are refused here (RFC 4291, 6052, 3056, 4380). */
static const char *refuse_v6(const struct in6_addr *address, bool is_own)
{
    const uint8_t *b = address->s6_addr;
    if ((b[0] & 0xe0) != 0x20)
        return "it is not a public IPv6 address";
    if ((b[0] == 0x20 && b[1] == 0x02) || (b[0] == 0x20 && b[1] == 0x01 && (b[2] | b[3]) == 0))
        return "it is an address of a tunnel (6to4, Teredo)";
    return is_own ? "it is an address of this machine" : NULL;
}

const char *network_rules_refuse(const struct network_rules *self, const struct sockaddr *address,
                                 bool is_own)
{
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *v4 = (const void *)address;
        return refuse_v4(self, ntohl(v4->sin_addr.s_addr), ntohs(v4->sin_port), is_own);
    }
    if (address->sa_family == AF_INET6)
        return refuse_v6(&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, is_own);
    return "it is neither IPv4 nor IPv6";
}
