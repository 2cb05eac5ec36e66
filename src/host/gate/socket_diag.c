#include "host/gate/socket_diag.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

/* As the kernel begins to count. */
#define TCP_STATES_ALL 0xffffffff

int socket_diag_open(void)
{
    return socket(AF_NETLINK, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
}

/* The kernel wants an IPv4 address in the first word. */
static void put_address(__be32 into[4], const struct in6_addr *address, bool is_v4)
{
    memcpy(into, address->s6_addr + (is_v4 ? 12 : 0), is_v4 ? 4 : 16);
}

static uint32_t read_inode(const char *answer, size_t length)
{
    struct nlmsghdr header;
    struct inet_diag_msg found;
    if (length < NLMSG_HDRLEN + sizeof found)
        return 0;
    memcpy(&header, answer, sizeof header);
    memcpy(&found, answer + NLMSG_HDRLEN, sizeof found);
    return header.nlmsg_type == SOCK_DIAG_BY_FAMILY ? found.idiag_inode : 0;
}

uint32_t socket_diag_inode(int diag, const struct sockaddr_in6 *from, const struct sockaddr_in6 *to)
{
    bool is_v4 = IN6_IS_ADDR_V4MAPPED(&to->sin6_addr);
    struct {
        struct nlmsghdr header;
        struct inet_diag_req_v2 wanted;
    } request = {.header = {.nlmsg_len = sizeof request,
                            .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                            .nlmsg_flags = NLM_F_REQUEST},
                 .wanted = {.sdiag_family = is_v4 ? AF_INET : AF_INET6,
                            .sdiag_protocol = IPPROTO_TCP,
                            .idiag_states = TCP_STATES_ALL,
                            .id = {.idiag_sport = from->sin6_port,
                                   .idiag_dport = to->sin6_port,
                                   .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}}};
    char answer[1024];
    put_address(request.wanted.id.idiag_src, &from->sin6_addr, is_v4);
    put_address(request.wanted.id.idiag_dst, &to->sin6_addr, is_v4);
    /* The kernel has answered when send() returns. */
    if (send(diag, &request, sizeof request, MSG_DONTWAIT) != sizeof request)
        return 0;
    ssize_t got = recv(diag, answer, sizeof answer, MSG_DONTWAIT);
    return got > 0 ? read_inode(answer, (size_t)got) : 0;
}
