/*
 * Dialling: of the host's two loopback addresses one may refuse, or not answer at all. The stages
 * of a connection before and behind it are those of this test.
 */
#include <arpa/inet.h>
#include <glib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/gate/connection.h"
#include "sys/clock.h"

static const struct network_rule host_rule = {.kind = RULE_HOST};
static const char *reason;
static enum { NOTHING, RELAYED, REFUSED, ENDED } result;

static void finish(struct connection *self, int how)
{
    result = how;
    connection_stop_dialling(self);
    event_timer_stop(&self->timer);
    event_loop_quit();
}

void connection_relay(struct connection *self)
{
    finish(self, RELAYED);
}
void connection_refuse(struct connection *self, const char *why)
{
    reason = why;
    finish(self, REFUSED);
}
void connection_end(struct connection *self, bool reset)
{
    finish(self, ENDED);
}

/* Returns the family of the address that answered, and the milliseconds until it did. */
static sa_family_t dial(uint16_t port, int64_t *ms)
{
    struct connection self = {.target = {.rule = &host_rule, .name = HOST_IN_BOX, .port = port}};
    struct sockaddr_storage peer = {0};
    socklen_t length = sizeof peer;
    event_relay_init(&self.line);
    self.line.owner = self.timer.owner = &self;
    int64_t begun = clock_ms();
    result = NOTHING;
    connection_dial(&self);
    if (result == NOTHING)
        event_loop_run();
    else
        event_loop_reset();
    *ms = clock_ms() - begun;
    if (result == RELAYED)
        g_assert_cmpint(getpeername(self.line.side[SERVER].fd, (struct sockaddr *)&peer, &length),
                        ==, 0);
    event_relay_close(&self.line, false);
    g_assert_null(self.dial);
    return peer.ss_family;
}

/* The same, again when it took as long as a silent address is waited for: other programs may have
 * had the processor. */
static sa_family_t dial_soon(uint16_t port, int64_t *ms)
{
    sa_family_t family = dial(port, ms);
    for (int i = 0; i < 20 && *ms >= 250; i++)
        family = dial(port, ms);
    return family;
}

static int listen_v4(uint16_t *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    g_assert_cmpint(bind(fd, (struct sockaddr *)&at, sizeof at), ==, 0);
    g_assert_cmpint(getsockname(fd, (struct sockaddr *)&at, &length), ==, 0);
    *port = ntohs(at.sin_port);
    return fd;
}

/* -1: this machine has no IPv6, or the port is taken. */
static int listen_v6(uint16_t port)
{
    int one = 1, fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in6 at = {
        .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    if (fd < 0)
        return -1;
    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
    if (bind(fd, (struct sockaddr *)&at, sizeof at) == 0 && listen(fd, 8) == 0)
        return fd;
    close(fd);
    return -1;
}

/* A server that answers no more: its queue is full, and the kernel drops what asks for a place. */
static void fill(int listener, uint16_t port, int clients[4])
{
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    g_assert_cmpint(listen(listener, 0), ==, 0);
    for (int i = 0; i < 4; i++) {
        clients[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        connect(clients[i], (struct sockaddr *)&to, sizeof to);
    }
}

static void the_first_address_is_taken(void)
{
    uint16_t port;
    int64_t ms;
    int v4 = listen_v4(&port), v6 = listen_v6(port);
    g_assert_cmpint(listen(v4, 8), ==, 0);
    g_assert_cmpint(dial_soon(port, &ms), ==, AF_INET);
    g_assert_cmpint(ms, <, 250);
    close(v4);
    if (v6 >= 0)
        close(v6);
}

static void a_refusal_is_not_waited_for(void)
{
    uint16_t port;
    int64_t ms;
    int v4 = listen_v4(&port), v6 = listen_v6(port); /* bound, and not listening */
    if (v6 < 0) {
        g_test_skip("no IPv6");
    } else {
        g_assert_cmpint(dial_soon(port, &ms), ==, AF_INET6);
        g_assert_cmpint(ms, <, 250);
        close(v6);
    }
    g_assert_cmpint(dial(port, &ms), ==, 0);
    g_assert_cmpint(result, ==, ENDED);
    close(v4);
}

static void a_silent_address_gets_a_head_start(void)
{
    uint16_t port;
    int64_t ms;
    int clients[4], v4 = listen_v4(&port), v6 = listen_v6(port);
    if (v6 < 0) {
        g_test_skip("no IPv6");
    } else {
        fill(v4, port, clients);
        g_assert_cmpint(dial(port, &ms), ==, AF_INET6);
        g_assert_cmpint(ms, >=, 250);
        g_assert_cmpint(ms, <, 20000);
        for (int i = 0; i < 4; i++)
            close(clients[i]);
        close(v6);
    }
    close(v4);
}

/* Why ADDRESS is not dialled. */
static const char *refuse(uint32_t address)
{
    struct network_rules rules = {0};
    struct connection self = {.rules = &rules,
                              .target = {.port = 9, .address = network_address_v4(address)}};
    event_relay_init(&self.line);
    self.line.owner = self.timer.owner = &self;
    result = NOTHING;
    reason = "";
    connection_dial(&self);
    event_loop_reset();
    g_assert_cmpint(result, ==, REFUSED);
    return reason;
}

/* An address that is not known to be this machine's own is not dialled, and for no wrong reason. */
static void a_lack_of_descriptors_is_named(void)
{
    struct rlimit before;
    g_assert_cmpint(getrlimit(RLIMIT_NOFILE, &before), ==, 0);
    refuse(INADDR_LOOPBACK); /* the event loop has its descriptors */
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = before.rlim_max};
    g_assert_cmpint(setrlimit(RLIMIT_NOFILE, &none), ==, 0);
    const char *of_public = refuse(0x08080808), *of_loopback = refuse(INADDR_LOOPBACK),
               *of_private = refuse(0x0a000001);
    setrlimit(RLIMIT_NOFILE, &before);
    g_assert_cmpstr(of_public, ==,
                    "this machine has no descriptor or memory left to look at its address");
    g_assert_cmpstr(of_loopback, ==, "it is a loopback, link-local or reserved address");
    g_assert_cmpstr(of_private, ==, "it is a private address, which no rule names");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gate_dial/first", the_first_address_is_taken);
    g_test_add_func("/gate_dial/refused", a_refusal_is_not_waited_for);
    g_test_add_func("/gate_dial/silent", a_silent_address_gets_a_head_start);
    g_test_add_func("/gate_dial/no-descriptors", a_lack_of_descriptors_is_named);
    return g_test_run();
}
