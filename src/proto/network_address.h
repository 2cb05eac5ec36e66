/*
 * Addresses in rules of [network] allow and deny, and which of them nothing may lead to. IPv4
 * addresses are held as IPv4-mapped IPv6 ones, so that one comparison does for both. libc only.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names for which the box's DNS gives addresses of this range: 198.18.0.0/15 (RFC 2544). */
#define FAKE_NETWORK 0xc6120000u
#define FAKE_PREFIX 15

/* "[2001:db8::/32]", with its NUL. */
#define NETWORK_ADDRESS_SIZE (INET6_ADDRSTRLEN + 8)

struct network_prefix {
    struct in6_addr address;
    int bits; /* 128: one address; of IPv4 at least 96 */
};

/* ADDRESS is in host byte order. */
struct in6_addr network_address_v4(uint32_t address);
static inline bool network_address_is_v4(const struct in6_addr *address)
{
    return IN6_IS_ADDR_V4MAPPED(address);
}
/* In host byte order, of one of IPv4. */
uint32_t network_address_to_v4(const struct in6_addr *address);
/* Of a socket address of IPv4 or IPv6; FALSE: it is neither. An IPv4-mapped one of IPv6 is neither.
 */
bool network_address_of(const struct sockaddr *from, struct in6_addr *address);

/* "10.0.0.5" or "[2001:db8::5]". */
void network_address_text(const struct in6_addr *address, char text[NETWORK_ADDRESS_SIZE]);
/* "10.1.0.0/16", "10.0.0.5", "[fd12::/16]". */
void network_prefix_text(const struct network_prefix *prefix, char text[NETWORK_ADDRESS_SIZE]);
/* Parses such a text. 0; or -1 with *WRONG a sentence that goes on from it: "must be …". */
int network_prefix_parse(const char *text, struct network_prefix *prefix, const char **wrong);

bool network_prefix_has(const struct network_prefix *prefix, const struct in6_addr *address);

/* In the range of the box's DNS. */
bool network_address_is_fake(const struct in6_addr *address);
/* Loopback, link-local, multicast and reserved addresses, those that stand for another address, and
 * those of the services that tell a virtual machine its secrets: no rule can allow them. */
bool network_address_is_never(const struct in6_addr *address);
/* Of a private network, or for documentation: only a rule that has it can allow it. */
bool network_address_is_private(const struct in6_addr *address);
/* All of PREFIX is. */
bool network_prefix_is_private(const struct network_prefix *prefix);
