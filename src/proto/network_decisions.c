/* What rules say about a name or an address. */
#include "proto/network_rules.h"

#include <string.h>

static bool matches_name(const struct network_rule *rule, const char *name)
{
    switch (rule->kind) {
    case RULE_NAME:
        return strcmp(rule->name, name) == 0 && strcmp(name, HOST_IN_BOX) != 0;
    case RULE_SUBDOMAINS:
        return host_name_is_below(name, rule->name) &&
               (rule->denies || strcmp(name, HOST_IN_BOX) != 0);
    case RULE_HOST:
        return strcmp(name, HOST_IN_BOX) == 0;
    case RULE_ADDRESS:
        return false;
    }
    return false;
}

static bool matches_address(const struct network_rule *rule, const struct in6_addr *address)
{
    return rule->kind == RULE_ADDRESS && network_prefix_has(&rule->network, address);
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
        if (!found ||
            (request_rule_is_set(&found->request) && !request_rule_is_set(&each->request)))
            found = each;
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
                                                        const struct in6_addr *address,
                                                        uint16_t port)
{
    const struct network_rule *found = NULL;
    for (size_t i = 0; i < self->count; i++) {
        const struct network_rule *each = &self->rules[i];
        if (!matches_port(each, port) || !matches_address(each, address))
            continue;
        if (each->denies)
            return each;
        /* A single address says more than its network; see network_rules_refuse(). */
        found = found && found->network.bits >= each->network.bits ? found : each;
    }
    return network_address_is_never(address) ? NULL : found;
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

/* Port 0 is that of a rule for every port alone. */
enum network_unlisted network_rules_unlisted(const struct network_rules *self, const char *name,
                                             uint16_t port)
{
    return strcmp(name, HOST_IN_BOX) == 0 || network_rules_decide(self, name, port)
               ? UNLISTED_REFUSED
               : self->unlisted;
}

bool network_rules_has_exact_name(const struct network_rules *self, const char *name)
{
    for (size_t i = 0; i < self->count; i++) {
        const struct network_rule *each = &self->rules[i];
        if (!each->denies && each->kind != RULE_SUBDOMAINS && matches_name(each, name))
            return true;
    }
    return false;
}

const char *network_rules_refuse(const struct network_rules *self, const struct sockaddr *from,
                                 bool is_own)
{
    struct in6_addr address;
    if (!network_address_of(from, &address))
        return "it is not a public IPv6 address";
    /* At the same place in both families. */
    uint16_t port = ntohs(((const struct sockaddr_in *)(const void *)from)->sin_port);
    const struct network_rule *rule = network_rules_decide_address(self, &address, port);
    if (network_address_is_fake(&address))
        return "this machine resolves it into 198.18.0.0/15, as a VPN or proxy with addresses of "
               "its own does";
    if (network_address_is_never(&address))
        return "it is a loopback, link-local or reserved address";
    if (rule && rule->denies)
        return "a rule denies its address";
    if (is_own && (!rule || rule->network.bits < 128))
        return "it is an address of this machine, which no rule names";
    if (network_address_is_private(&address) && !rule)
        return "it is a private address, which no rule names";
    return NULL;
}
