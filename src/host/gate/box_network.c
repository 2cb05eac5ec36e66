#include "host/gate/box_network.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <linux/netfilter_ipv4.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/gate/nft.h"
#include "sys/descriptors.h"
#include "sys/signals.h"

#define DNS_PORT 53
/* Of linux/netfilter_ipv6/ip6_tables.h, whose other definitions are those of the C library, too. */
#define IP6T_SO_ORIGINAL_DST 80
/* Connections that the kernel holds until the gate accepts them. */
#define BACKLOG 1024

/* Ports on which the user is asked about names without nft. */
static const uint16_t asked_ports[] = {443, 80, 22};

/* The messages of the child: a byte of this, with a descriptor. */
enum part { DNS_UDP = 'u', DNS_TCP = 't', LISTENER = 'l', REDIRECTED = 'r', DONE = 'd' };

static int fail(const char *what)
{
    fprintf(stderr, "cannot set up the network of the box: %s: %s\n", what, strerror(errno));
    return -1;
}

/* In the child: the namespace. */

static int raise_loopback(void)
{
    struct ifreq lo = {.ifr_name = "lo"};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int status = fd < 0 ? -1 : ioctl(fd, SIOCGIFFLAGS, &lo);
    if (status == 0 && !(lo.ifr_flags & IFF_UP)) {
        lo.ifr_flags |= IFF_UP;
        status = ioctl(fd, SIOCSIFFLAGS, &lo);
    }
    if (fd >= 0)
        close(fd);
    return status;
}

static void add_attribute(struct nlmsghdr *message, unsigned short type, const void *value,
                          size_t size)
{
    struct rtattr *at = (void *)((char *)message + NLMSG_ALIGN(message->nlmsg_len));
    *at = (struct rtattr){.rta_type = type, .rta_len = (unsigned short)RTA_LENGTH(size)};
    memcpy(RTA_DATA(at), value, size);
    message->nlmsg_len = NLMSG_ALIGN(message->nlmsg_len) + at->rta_len;
}

/* Sends MESSAGE and reads the kernel's answer. */
static int ask_kernel(int netlink, const struct nlmsghdr *message)
{
    struct {
        struct nlmsghdr header;
        struct nlmsgerr error;
        char rest[1024];
    } answer = {0};
    if (send(netlink, message, message->nlmsg_len, 0) < 0 ||
        recv(netlink, &answer, sizeof answer, 0) < (ssize_t)NLMSG_LENGTH(sizeof answer.error) ||
        answer.header.nlmsg_type != NLMSG_ERROR)
        return -1;
    errno = -answer.error.error;
    return errno == 0 || errno == EEXIST ? 0 : -1;
}

/* Every address of PREFIX is one of this namespace (rtnetlink(7)). */
static int add_route(int netlink, const struct network_prefix *prefix)
{
    bool is_v4 = network_address_is_v4(&prefix->address);
    struct {
        struct nlmsghdr header;
        struct rtmsg route;
        char attributes[64];
    } request = {
        .header = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct rtmsg)),
                   .nlmsg_type = RTM_NEWROUTE,
                   .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE},
        .route = {.rtm_family = is_v4 ? AF_INET : AF_INET6,
                  .rtm_dst_len = (unsigned char)(is_v4 ? prefix->bits - 96 : prefix->bits),
                  .rtm_table = RT_TABLE_LOCAL,
                  .rtm_protocol = RTPROT_STATIC,
                  .rtm_scope = RT_SCOPE_HOST,
                  .rtm_type = RTN_LOCAL},
    };
    uint32_t loopback = if_nametoindex("lo"), v4 = htonl(network_address_to_v4(&prefix->address));
    add_attribute(&request.header, RTA_DST, is_v4 ? (void *)&v4 : (const void *)&prefix->address,
                  is_v4 ? sizeof v4 : sizeof prefix->address);
    add_attribute(&request.header, RTA_OIF, &loopback, sizeof loopback);
    return ask_kernel(netlink, &request.header);
}

/* An address that is not of loopback: without one, getaddrinfo(3) finds no IPv4 address for a
 * program that asks for what the machine can use (AI_ADDRCONFIG, the default). */
static int add_server_address(int netlink)
{
    struct {
        struct nlmsghdr header;
        struct ifaddrmsg address;
        char attributes[64];
    } request = {
        .header = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct ifaddrmsg)),
                   .nlmsg_type = RTM_NEWADDR,
                   .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE},
        .address = {.ifa_family = AF_INET,
                    .ifa_prefixlen = 32,
                    .ifa_scope = RT_SCOPE_UNIVERSE,
                    .ifa_index = if_nametoindex("lo")},
    };
    uint32_t server = htonl(FAKE_SERVER);
    add_attribute(&request.header, IFA_LOCAL, &server, sizeof server);
    add_attribute(&request.header, IFA_ADDRESS, &server, sizeof server);
    return ask_kernel(netlink, &request.header);
}

static int add_addresses(const struct network_rules *rules)
{
    int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    const struct network_prefix fake = {network_address_v4(FAKE_NETWORK), 96 + FAKE_PREFIX};
    int status = netlink < 0 ? -1 : add_route(netlink, &fake);
    if (status == 0)
        status = add_server_address(netlink);
    for (size_t i = 0; status == 0 && i < rules->count; i++) {
        const struct network_rule *rule = &rules->rules[i];
        if (rule->kind == RULE_ADDRESS && !rule->denies)
            status = add_route(netlink, &rule->network);
    }
    if (netlink >= 0)
        close(netlink);
    return status;
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
    for (size_t i = 0; rules->asks && i < sizeof asked_ports / sizeof *asked_ports; i++)
        if (!has_port(rules, asked_ports[i]) &&
            hand_back(channel, LISTENER, bind_v4(SOCK_STREAM, INADDR_ANY, asked_ports[i])) < 0)
            return -1;
    return 0;
}

/*
 * TRUE when an interface is up that is not loopback, and no earlier gate has set this namespace up:
 * nothing would filter it. Later the box may have made interfaces of its own, which lead nowhere.
 */
static bool has_other_network(void)
{
    struct ifaddrs *all;
    bool is_other = false, is_ours = false;
    if (getifaddrs(&all) < 0)
        return true;
    for (const struct ifaddrs *each = all; each; each = each->ifa_next) {
        struct sockaddr_in address = {0};
        if (each->ifa_addr && each->ifa_addr->sa_family == AF_INET)
            memcpy(&address, each->ifa_addr, sizeof address);
        is_ours |= address.sin_addr.s_addr == htonl(FAKE_SERVER);
        is_other |= (each->ifa_flags & (IFF_UP | IFF_LOOPBACK)) == IFF_UP;
    }
    freeifaddrs(all);
    return is_other && !is_ours;
}

static int set_up(int box, const struct network_rules *rules, int channel)
{
    if (setns(box, CLONE_NEWUSER | CLONE_NEWNET) < 0)
        return fail("cannot enter its namespaces");
    errno = EEXIST;
    if (has_other_network())
        return fail("it has a network that nothing filters");
    if (raise_loopback() < 0)
        return fail("loopback interface");
    if (add_addresses(rules) < 0)
        return fail("addresses and routes");
    if (hand_back(channel, DNS_UDP, bind_v4(SOCK_DGRAM, FAKE_SERVER, DNS_PORT)) < 0 ||
        hand_back(channel, DNS_TCP, bind_v4(SOCK_STREAM, FAKE_SERVER, DNS_PORT)) < 0)
        return fail("sockets of its DNS server");
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
    else if (part == REDIRECTED)
        network->is_redirected = true;
    else if (part != DONE)
        return -1;
    return part;
}

int box_network_arm(int box, const struct network_rules *rules, struct box_network *network)
{
    int channel[2], part = 0, status = -1;
    *network = (struct box_network){.dns_udp = -1, .dns_tcp = -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) < 0)
        return fail("socketpair");
    pid_t self = getpid(), child = fork();
    if (child == 0) {
        signals_end_with(self);
        close(channel[0]);
        _exit(set_up(box, rules, channel[1]) == 0 ? 0 : 1);
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
    bool has_all_ports = armed->asks && network->is_redirected;
    if (wanted->asks && !armed->asks)
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
