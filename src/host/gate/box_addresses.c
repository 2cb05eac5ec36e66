#include "host/gate/box_network.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

int box_addresses_raise_loopback(void)
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

int box_addresses_add(const struct network_rules *rules)
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

bool box_addresses_has_other_network(void)
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
