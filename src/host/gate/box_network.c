#include "host/gate/box_network.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter_ipv4.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/gate/socket_diag.h"
#include "sys/descriptors.h"
#include "sys/signals.h"

#define DNS_PORT 53
/* Of linux/netfilter_ipv6/ip6_tables.h, whose other definitions are those of the C library, too. */
#define IP6T_SO_ORIGINAL_DST 80
/* Connections that the kernel holds until the gate accepts them. */
#define BACKLOG 1024

/* Ports on which names that no rule has are reached without nft. */
static const uint16_t unlisted_ports[] = {443, 80, 22};

/* The messages of the child: a byte of this, with a descriptor. */
enum part {
    DNS_UDP = 'u',
    DNS_TCP = 't',
    LISTENER = 'l',
    DIAG = 'i',
    REDIRECTED = 'r',
    DONE = 'd'
};

static int fail(const char *what)
{
    fprintf(stderr, "cannot set up the network of the box: %s: %s\n", what, strerror(errno));
    return -1;
}

/* In the child: the sockets. */

static int bind_socket(int type, const void *address, socklen_t length)
{
    int one = 1, family = ((const struct sockaddr *)address)->sa_family;
    int fd = socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (type == SOCK_STREAM)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
    if (bind(fd, address, length) == 0 && (type != SOCK_STREAM || listen(fd, BACKLOG) == 0))
        return fd;
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

static int bind_v4(int type, uint32_t address, uint16_t port)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(address)}};
    return bind_socket(type, &at, sizeof at);
}

static int bind_v6(const struct in6_addr *address, uint16_t port)
{
    struct sockaddr_in6 at = {
        .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = *address};
    return bind_socket(SOCK_STREAM, &at, sizeof at);
}

/* Takes FD. */
static int hand_back(int channel, enum part part, int fd)
{
    char byte = (char)part;
    if (fd < 0)
        return -1;
    ssize_t sent = descriptors_send(channel, &byte, 1, &fd, 1, 0);
    close(fd);
    return sent == 1 ? 0 : -1;
}

static int say(int channel, enum part part)
{
    char byte = (char)part;
    return send(channel, &byte, 1, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

static bool is_v6(const struct network_rule *rule)
{
    return rule->kind == RULE_ADDRESS && !network_address_is_v4(&rule->network.address);
}

/* Over IPv4. */
static bool has_port(const struct network_rules *rules, uint16_t port)
{
    for (size_t i = 0; i < rules->count; i++)
        if (!rules->rules[i].denies && rules->rules[i].port == port && !is_v6(&rules->rules[i]))
            return true;
    return false;
}

static bool have_v6(const struct network_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++)
        if (!rules->rules[i].denies && is_v6(&rules->rules[i]))
            return true;
    return false;
}

/* -1: FD is none. */
static int port_of(int fd)
{
    /* Or the shorter one of IPv4, with the port at the same place. */
    struct sockaddr_in6 at = {0};
    socklen_t length = sizeof at;
    return fd >= 0 && getsockname(fd, (struct sockaddr *)&at, &length) == 0 ? ntohs(at.sin6_port)
                                                                            : -1;
}

/* A listener of each family, to which nft leads everything. */
static int listen_redirected(int channel, const struct network_rules *rules)
{
    int v4 = bind_v4(SOCK_STREAM, FAKE_SERVER, 0);
    int v6 = have_v6(rules) ? bind_v6(&in6addr_loopback, 0) : -1;
    if (v4 < 0 || (have_v6(rules) && v6 < 0) || nft_redirect(rules, port_of(v4), port_of(v6)) < 0) {
        if (v4 >= 0)
            close(v4);
        if (v6 >= 0)
            close(v6);
        return -1;
    }
    return hand_back(channel, LISTENER, v4) == 0 &&
                   (v6 < 0 || hand_back(channel, LISTENER, v6) == 0)
               ? say(channel, REDIRECTED)
               : -1;
}

/* Of its family. */
static bool is_first_with_port(const struct network_rules *rules, size_t index)
{
    const struct network_rule *rule = &rules->rules[index];
    for (size_t i = 0; i < index; i++)
        if (!rules->rules[i].denies && rules->rules[i].port == rule->port &&
            is_v6(&rules->rules[i]) == is_v6(rule))
            return false;
    return true;
}

static size_t n_unlisted_ports(const struct network_rules *rules)
{
    return rules->unlisted == UNLISTED_REFUSED ? 0 : sizeof unlisted_ports / sizeof *unlisted_ports;
}

static int listen_on_ports(int channel, const struct network_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++) {
        const struct network_rule *rule = &rules->rules[i];
        if (rule->denies || !is_first_with_port(rules, i))
            continue;
        int fd = is_v6(rule) ? bind_v6(&in6addr_any, rule->port)
                             : bind_v4(SOCK_STREAM, INADDR_ANY, rule->port);
        if (hand_back(channel, LISTENER, fd) < 0)
            return -1;
    }
    /* All others cannot have a listener. */
    for (size_t i = 0; i < n_unlisted_ports(rules); i++)
        if (!has_port(rules, unlisted_ports[i]) &&
            hand_back(channel, LISTENER, bind_v4(SOCK_STREAM, INADDR_ANY, unlisted_ports[i])) < 0)
            return -1;
    return 0;
}

static int set_up(int box, const struct network_rules *rules, bool has_dns, int channel)
{
    if (setns(box, CLONE_NEWUSER | CLONE_NEWNET) < 0)
        return fail("cannot enter its namespaces");
    errno = EEXIST;
    if (box_addresses_has_other_network())
        return fail("it has a network that nothing filters");
    if (box_addresses_raise_loopback() < 0)
        return fail("loopback interface");
    if (box_addresses_add(rules) < 0)
        return fail("addresses and routes");
    if ((!has_dns && hand_back(channel, DNS_UDP, bind_v4(SOCK_DGRAM, FAKE_SERVER, DNS_PORT)) < 0) ||
        hand_back(channel, DNS_TCP, bind_v4(SOCK_STREAM, FAKE_SERVER, DNS_PORT)) < 0)
        return fail("sockets of its DNS server");
    /* Without it the log names no programs. */
    hand_back(channel, DIAG, socket_diag_open());
    if (listen_redirected(channel, rules) < 0 && listen_on_ports(channel, rules) < 0)
        return fail("without a working nft there is a listener for each port of a rule");
    return say(channel, DONE);
}

/* In the gate. */

static int receive_part(int channel, struct box_network *network)
{
    char part;
    int fd;
    if (descriptors_receive(channel, &part, 1, &fd, 1, NULL) != 1)
        return -1;
    if (part == DNS_UDP)
        network->dns_udp = fd;
    else if (part == DNS_TCP)
        network->dns_tcp = fd;
    else if (part == LISTENER && network->n_listeners < BOX_LISTENERS_MAX)
        network->listeners[network->n_listeners++] = fd;
    else if (part == DIAG)
        network->diag = fd;
    else if (part == REDIRECTED)
        network->is_redirected = true;
    else if (part != DONE)
        return -1;
    return part;
}

int box_network_arm(int box, const struct network_rules *rules, int dns,
                    struct box_network *network)
{
    int channel[2], part = 0, status = -1;
    *network = (struct box_network){.dns_udp = dns, .dns_tcp = -1, .diag = -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) < 0)
        return fail("socketpair");
    pid_t self = getpid(), child = fork();
    if (child == 0) {
        signals_end_with(self);
        close(channel[0]);
        _exit(set_up(box, rules, dns >= 0, channel[1]) == 0 ? 0 : 1);
    }
    close(channel[1]);
    while (child > 0 && part >= 0 && part != DONE)
        part = receive_part(channel[0], network);
    close(channel[0]);
    if (child < 0 || waitpid(child, &status, 0) != child)
        return fail("fork");
    if (status == 0 && part == DONE)
        return 0;
    fprintf(stderr, "the network of the box was not set up\n");
    return -1;
}

static bool leads_alike(const struct network_rule *armed, const struct network_rule *wanted)
{
    if (armed->denies || armed->port != wanted->port)
        return false;
    if (wanted->kind != RULE_ADDRESS)
        return armed->kind != RULE_ADDRESS;
    return armed->kind == RULE_ADDRESS && armed->network.bits == wanted->network.bits &&
           memcmp(&armed->network.address, &wanted->network.address,
                  sizeof wanted->network.address) == 0;
}

bool box_network_serves(const struct box_network *network, const struct network_rules *armed,
                        const struct network_rules *wanted)
{
    bool has_all_ports = armed->unlisted != UNLISTED_REFUSED && network->is_redirected;
    if (wanted->unlisted != armed->unlisted && wanted->unlisted != UNLISTED_REFUSED)
        return false;
    for (size_t i = 0; i < wanted->count; i++) {
        bool found =
            wanted->rules[i].denies || (has_all_ports && wanted->rules[i].kind != RULE_ADDRESS);
        for (size_t j = 0; !found && j < armed->count; j++)
            found = leads_alike(&armed->rules[j], &wanted->rules[i]);
        if (!found)
            return false;
    }
    return true;
}

int box_network_destination(const struct box_network *network, int connection,
                            struct sockaddr_in6 *destination)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } at = {0};
    socklen_t length = sizeof at;
    if (getsockname(connection, &at.any, &length) < 0)
        return -1;
    int family = at.any.sa_family;
    length = family == AF_INET ? sizeof at.v4 : sizeof at.v6;
    if (network->is_redirected &&
        getsockopt(connection, family == AF_INET ? SOL_IP : SOL_IPV6,
                   family == AF_INET ? SO_ORIGINAL_DST : IP6T_SO_ORIGINAL_DST, &at, &length) < 0)
        return -1;
    *destination = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = at.v6.sin6_port};
    return at.any.sa_family == family && network_address_of(&at.any, &destination->sin6_addr) ? 0
                                                                                              : -1;
}
