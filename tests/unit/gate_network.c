/*
 * The network of a box, as the gate sets it up: in a network namespace of this test, with nft and,
 * in a mount namespace where /usr/sbin/nft cannot be executed, without.
 */
#include <arpa/inet.h>
#include <glib.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/gate/box_network.h"

/* A process with a network of its own, which waits until STOP is closed; as the box is. */
static pid_t start_box(int *stop)
{
    int ready[2], hold[2];
    char byte;
    g_assert_cmpint(pipe(ready) | pipe(hold), ==, 0);
    pid_t child = fork();
    if (child == 0) {
        close(hold[1]);
        if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0 || write(ready[1], "", 1) != 1)
            _exit(77);
        _exit(read(hold[0], &byte, 1) == 0 ? 0 : 1);
    }
    close(ready[1]);
    close(hold[0]);
    *stop = hold[1];
    if (read(ready[0], &byte, 1) != 1)
        child = -1;
    close(ready[0]);
    return child;
}

/* In the box: connects to each address and port, and says which of them took it. */
static void dial(pid_t box, const char *address, uint16_t port, int expected)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        int pidfd = pidfd_open(box, 0);
        struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
        struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
        bool is_v4 = inet_pton(AF_INET, address, &v4.sin_addr) == 1;
        inet_pton(AF_INET6, address, &v6.sin6_addr);
        if (setns(pidfd, CLONE_NEWUSER | CLONE_NEWNET) < 0)
            _exit(255);
        int fd = socket(is_v4 ? AF_INET : AF_INET6, SOCK_STREAM, 0);
        _exit(connect(fd, is_v4 ? (void *)&v4 : (void *)&v6, is_v4 ? sizeof v4 : sizeof v6) == 0
                  ? 0
                  : errno);
    }
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) != expected)
        g_error("%s:%u: %s", address, port, g_strerror(WEXITSTATUS(status)));
}

static void assert_destination(const struct box_network *network, const char *address,
                               uint16_t port)
{
    struct sockaddr_in6 got;
    char text[NETWORK_ADDRESS_SIZE];
    int fd = -1;
    for (gsize i = 0; fd < 0 && i < network->n_listeners; i++)
        fd = accept(network->listeners[i], NULL, NULL);
    g_assert_cmpint(fd, >=, 0);
    g_assert_cmpint(box_network_destination(network, fd, &got), ==, 0);
    network_address_text(&got.sin6_addr, text);
    g_assert_cmpstr(text, ==, address);
    g_assert_cmpint(ntohs(got.sin6_port), ==, port);
    close(fd);
}

static void disarm(struct box_network *network)
{
    close(network->dns_udp);
    close(network->dns_tcp);
    for (gsize i = 0; i < network->n_listeners; i++)
        close(network->listeners[i]);
}

static void arm_and_dial(bool with_nft)
{
    static const char text[] =
        "allow a.example.com\nallow b.example.com:8080\nallow host:8080\n"
        "allow 10.1.0.0/16:5432\nallow [2001:db8:1::/48]:5432\ndeny a.example.com:22\n";
    struct network_rules rules;
    struct box_network network;
    int stop;
    pid_t box = start_box(&stop);
    if (box < 0) {
        g_test_skip("no user namespaces");
        return;
    }
    int pidfd = pidfd_open(box, 0);
    g_assert_cmpint(network_rules_parse(text, sizeof text - 1, &rules), ==, 0);
    /* Twice: the second gate comes after the first was killed. */
    for (int i = 0; i < 2; i++) {
        g_assert_cmpint(box_network_arm(pidfd, &rules, -1, &network), ==, 0);
        g_assert_true(network.is_redirected == with_nft);
        g_assert_cmpuint(network.n_listeners, ==, with_nft ? 2 : 4);
        dial(box, "198.18.1.7", 443, 0);
        assert_destination(&network, "198.18.1.7", 443);
        dial(box, "198.19.255.1", 8080, 0);
        assert_destination(&network, "198.19.255.1", 8080);
        dial(box, "10.1.2.3", 5432, 0);
        assert_destination(&network, "10.1.2.3", 5432);
        dial(box, "2001:db8:1::5", 5432, 0);
        assert_destination(&network, "[2001:db8:1::5]", 5432);
        dial(box, "2001:db8:1::5", 5433, ECONNREFUSED);
        dial(box, "2001:db8:2::5", 5432, ENETUNREACH);
        dial(box, "198.18.1.7", 21, ECONNREFUSED);
        /* Where the gate says why, no rule is needed. */
        dial(box, "198.18.1.7", 22, with_nft ? 0 : ECONNREFUSED);
        dial(box, "10.1.2.3", 22, ECONNREFUSED);
        dial(box, "10.2.0.1", 5432, ENETUNREACH);
        dial(box, "198.18.0.1", 53, 0);
        disarm(&network);
        dial(box, "198.18.1.7", 443, ECONNREFUSED);
    }
    network_rules_clear(&rules);
    close(pidfd);
    close(stop);
    g_assert_cmpint(waitpid(box, NULL, 0), ==, box);
}

/* In the box: makes an interface that is up, as pasta does. A program of its own could not. */
static int make_interface(void)
{
    struct {
        struct nlmsghdr header;
        struct ifinfomsg link;
        struct rtattr info, kind;
        char name[4];
    } request = {
        .header = {.nlmsg_len = sizeof request,
                   .nlmsg_type = RTM_NEWLINK,
                   .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL},
        .link = {.ifi_family = AF_UNSPEC, .ifi_flags = IFF_UP, .ifi_change = IFF_UP},
        .info = {.rta_type = IFLA_LINKINFO, .rta_len = RTA_LENGTH(RTA_LENGTH(4))},
        .kind = {.rta_type = IFLA_INFO_KIND, .rta_len = RTA_LENGTH(4)},
        .name = {'v', 'e', 't', 'h'},
    };
    struct {
        struct nlmsghdr header;
        struct nlmsgerr error;
        char rest[1024];
    } answer;
    int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
    if (send(fd, &request, sizeof request, 0) < 0 || recv(fd, &answer, sizeof answer, 0) < 0)
        return errno;
    return -answer.error.error;
}

static int make_interface_in(pid_t box)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        int pidfd = pidfd_open(box, 0);
        _exit(setns(pidfd, CLONE_NEWUSER | CLONE_NEWNET) < 0 ? 255 : make_interface());
    }
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    return WEXITSTATUS(status);
}

static void another_network_is_refused(void)
{
    static const char text[] = "allow a.example.com\n";
    struct network_rules rules;
    struct box_network network;
    int stop;
    pid_t box = start_box(&stop);
    if (box < 0) {
        g_test_skip("no user namespaces");
        return;
    }
    int pidfd = pidfd_open(box, 0);
    g_assert_cmpint(network_rules_parse(text, sizeof text - 1, &rules), ==, 0);
    if (make_interface_in(box) == 0)
        g_assert_cmpint(box_network_arm(pidfd, &rules, -1, &network), ==, -1);
    else
        g_test_skip("this kernel has no veth");
    network_rules_clear(&rules);
    close(pidfd);
    close(stop);
    g_assert_cmpint(waitpid(box, NULL, 0), ==, box);
}

static void with_nft(void)
{
    if (access("/usr/sbin/nft", X_OK) == 0)
        arm_and_dial(true);
    else
        g_test_skip("no nft");
}

/* In a process of its own, whose mounts are its own. */
static void without_nft(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        uid_t uid = geteuid();
        if (unshare((uid ? CLONE_NEWUSER : 0) | CLONE_NEWNS) < 0 ||
            mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
            (access("/usr/sbin/nft", F_OK) == 0 &&
             mount("/dev/null", "/usr/sbin/nft", NULL, MS_BIND, NULL) < 0))
            _exit(77);
        arm_and_dial(false);
        _exit(0);
    }
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        g_test_skip("no mount namespaces");
    else
        g_assert_cmpint(status, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gate_network/with_nft", with_nft);
    g_test_add_func("/gate_network/without_nft", without_nft);
    g_test_add_func("/gate_network/another_network", another_network_is_refused);
    return g_test_run();
}
