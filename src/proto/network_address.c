#include "proto/network_address.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/wrong_because.h"

#define V4_BITS 96 /* of the prefix of IPv4-mapped addresses, RFC 4291, 2.5.5.2 */

#define V4(a, b, c, d, bits)                                                         \
    {                                                                                \
        {{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d}}}, V4_BITS + (bits) \
    }
#define V6(a, b, c, bits)                                                      \
    {                                                                          \
        {{{(a) >> 8, (a)&0xff, (b) >> 8, (b)&0xff, (c) >> 8, (c)&0xff}}}, bits \
    }

static const struct network_prefix v4 = V4(0, 0, 0, 0, 0), fake = V4(198, 18, 0, 0, FAKE_PREFIX);
/* RFC 4291, 2.4, and RFC 4193. What is outside of these and of IPv4 is loopback, link-local,
 * multicast, or not assigned, or it stands for an IPv4 address (NAT64: RFC 6052 and 8215). */
static const struct network_prefix global = V6(0x2000, 0, 0, 3), unique_local = V6(0xfc00, 0, 0, 7);

static const struct network_prefix never[] = {
    /* RFC 6890: "this" network, loopback, link-local, protocol assignments, multicast, reserved. */
    V4(0, 0, 0, 0, 8),
    V4(127, 0, 0, 0, 8),
    V4(169, 254, 0, 0, 16),
    V4(192, 0, 0, 0, 24),
    V4(224, 0, 0, 0, 4),
    V4(240, 0, 0, 0, 4),
    /* Metadata services: Azure's, AWS's, Google's. Others are link-local. */
    V4(168, 63, 129, 16, 32),
    V6(0xfd00, 0x0ec2, 0, 32),
    {{{{0xfd, 0x20, 0, 0xce, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54}}}, 128},
    /* Tunnels and what stands for another address: Teredo, ORCHID, 6to4; benchmarks. */
    V6(0x2001, 0, 0, 32),
    V6(0x2001, 2, 0, 48),
    V6(0x2001, 0x0010, 0, 28),
    V6(0x2001, 0x0020, 0, 28),
    V6(0x2002, 0, 0, 16),
    V4(198, 18, 0, 0, FAKE_PREFIX),
};

static const struct network_prefix private[] = {
    /* RFC 1918, and RFC 6598 for carriers and VPNs. */
    V4(10, 0, 0, 0, 8),
    V4(172, 16, 0, 0, 12),
    V4(192, 168, 0, 0, 16),
    V4(100, 64, 0, 0, 10),
    /* RFC 4193; for documentation: RFC 3849, 9637. */
    V6(0xfc00, 0, 0, 7),
    V6(0x2001, 0x0db8, 0, 32),
    V6(0x3fff, 0, 0, 20),
};

struct in6_addr network_address_v4(uint32_t address)
{
    struct in6_addr mapped = v4.address;
    address = htonl(address);
    memcpy(&mapped.s6_addr[12], &address, sizeof address);
    return mapped;
}

uint32_t network_address_to_v4(const struct in6_addr *address)
{
    uint32_t number;
    memcpy(&number, &address->s6_addr[12], sizeof number);
    return ntohl(number);
}

bool network_address_of(const struct sockaddr *from, struct in6_addr *address)
{
    struct sockaddr_in in4;
    struct sockaddr_in6 in6;
    if (from->sa_family == AF_INET) {
        memcpy(&in4, from, sizeof in4);
        *address = network_address_v4(ntohl(in4.sin_addr.s_addr));
        return true;
    }
    if (from->sa_family != AF_INET6)
        return false;
    memcpy(&in6, from, sizeof in6);
    *address = in6.sin6_addr;
    return !network_address_is_v4(address);
}

static int bits_shown(const struct network_prefix *prefix)
{
    return network_address_is_v4(&prefix->address) ? prefix->bits - V4_BITS : prefix->bits;
}

void network_prefix_text(const struct network_prefix *prefix, char text[NETWORK_ADDRESS_SIZE])
{
    char address[INET6_ADDRSTRLEN], bits[16] = "";
    bool is_v4 = network_address_is_v4(&prefix->address);
    struct in_addr number = {htonl(network_address_to_v4(&prefix->address))};
    inet_ntop(is_v4 ? AF_INET : AF_INET6, is_v4 ? (void *)&number : (const void *)&prefix->address,
              address, sizeof address);
    if (prefix->bits < 128)
        snprintf(bits, sizeof bits, "/%d", bits_shown(prefix));
    snprintf(text, NETWORK_ADDRESS_SIZE, is_v4 ? "%s%s" : "[%s%s]", address, bits);
}

void network_address_text(const struct in6_addr *address, char text[NETWORK_ADDRESS_SIZE])
{
    network_prefix_text(&(struct network_prefix){*address, 128}, text);
}

/* 0 to MOST; -1: it is not such a number. */
static int parse_bits(const char *text, int most)
{
    size_t length = strspn(text, "0123456789");
    if (length == 0 || length > 3 || text[length] || (text[0] == '0' && length > 1))
        return -1;
    int bits = atoi(text);
    return bits <= most ? bits : -1;
}

static bool is_first(const struct network_prefix *prefix)
{
    for (int bit = prefix->bits; bit < 128; bit++)
        if (prefix->address.s6_addr[bit / 8] & (0x80 >> bit % 8))
            return false;
    return true;
}

static bool parse_numeric(const char *text, bool is_v4, struct in6_addr *address)
{
    struct in_addr number;
    if (!is_v4)
        return inet_pton(AF_INET6, text, address) == 1 && !network_address_is_v4(address);
    if (inet_pton(AF_INET, text, &number) != 1)
        return false;
    *address = network_address_v4(ntohl(number.s_addr));
    return true;
}

int network_prefix_parse(const char *text, struct network_prefix *prefix, const char **wrong)
{
    char copy[NETWORK_ADDRESS_SIZE];
    size_t length = strlen(text);
    bool is_v4 = text[0] != '[';
    static const char form[] = "must be an address in full, such as 10.0.0.5 or [2001:db8::5]";
    if (!is_v4 && (length < 2 || text[length - 1] != ']'))
        return wrong_because(wrong, form);
    length -= is_v4 ? 0 : 2;
    if (length >= sizeof copy)
        return wrong_because(wrong, form);
    memcpy(copy, text + !is_v4, length);
    copy[length] = '\0';
    char *slash = strchr(copy, '/');
    if (slash)
        *slash++ = '\0';
    int most = is_v4 ? 32 : 128, bits = slash ? parse_bits(slash, most) : most;
    if (bits < 0)
        return wrong_because(wrong, is_v4 ? "must have 0 to 32 behind the '/'"
                                          : "must have 0 to 128 behind the '/'");
    if (!parse_numeric(copy, is_v4, &prefix->address))
        return wrong_because(wrong, form);
    prefix->bits = is_v4 ? bits + V4_BITS : bits;
    return is_first(prefix) ? 0 : wrong_because(wrong, "must be the first address of its network");
}

bool network_prefix_has(const struct network_prefix *prefix, const struct in6_addr *address)
{
    /* "::/0" has no address of IPv4. */
    if (network_address_is_v4(&prefix->address) != network_address_is_v4(address))
        return false;
    int whole = prefix->bits / 8, rest = prefix->bits % 8;
    if (memcmp(&prefix->address, address, (size_t)whole) != 0)
        return false;
    return rest == 0 ||
           (prefix->address.s6_addr[whole] ^ address->s6_addr[whole]) >> (8 - rest) == 0;
}

static bool is_in_any(const struct in6_addr *address, int bits, const struct network_prefix *list,
                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bits >= list[i].bits && network_prefix_has(&list[i], address))
            return true;
    return false;
}

bool network_address_is_fake(const struct in6_addr *address)
{
    return network_prefix_has(&fake, address);
}

bool network_address_is_never(const struct in6_addr *address)
{
    return is_in_any(address, 128, never, sizeof never / sizeof *never) ||
           !(network_prefix_has(&v4, address) || network_prefix_has(&global, address) ||
             network_prefix_has(&unique_local, address));
}

bool network_prefix_is_private(const struct network_prefix *prefix)
{
    return is_in_any(&prefix->address, prefix->bits, private, sizeof private / sizeof *private);
}

bool network_address_is_private(const struct in6_addr *address)
{
    return network_prefix_is_private(&(struct network_prefix){*address, 128});
}
