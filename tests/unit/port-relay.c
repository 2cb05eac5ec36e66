/* Bytes between two sockets: ends, back-pressure, and what breaks. */
#include <glib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "port/relay.h"

/* near[] are the relay's, far[] the ones of those who talk through it. */
typedef struct {
    struct relay relay;
    int near[2], far[2];
} pairs;

static pairs open_pairs(void)
{
    pairs made = {0};
    for (int i = 0; i < 2; i++) {
        int pair[2];
        g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), ==, 0);
        made.near[i] = made.relay.fd[i] = pair[0];
        made.far[i] = pair[1];
    }
    return made;
}

static void close_pairs(pairs *self)
{
    relay_clear(&self->relay);
    for (int i = 0; i < 2; i++) {
        close(self->near[i]);
        close(self->far[i]);
    }
}

static void expect(int fd, const char *text)
{
    char got[64] = {0};
    g_assert_cmpint(recv(fd, got, sizeof got - 1, MSG_DONTWAIT), ==, (gssize)strlen(text));
    g_assert_cmpstr(got, ==, text);
}

static void both_ways(void)
{
    pairs p = open_pairs();
    g_assert_cmpint(write(p.far[0], "question", 8), ==, 8);
    g_assert_cmpint(relay_step(&p.relay, 0), ==, RELAY_GOES_ON);
    expect(p.far[1], "question");
    g_assert_cmpint(write(p.far[1], "answer", 6), ==, 6);
    g_assert_cmpint(relay_step(&p.relay, 1), ==, RELAY_GOES_ON);
    expect(p.far[0], "answer");
    close_pairs(&p);
}

/* The end of one direction is no end of the other. */
static void half_close(void)
{
    pairs p = open_pairs();
    g_assert_cmpint(write(p.far[0], "last", 4), ==, 4);
    shutdown(p.far[0], SHUT_WR);
    g_assert_cmpint(relay_step(&p.relay, 0), ==, RELAY_GOES_ON);
    g_assert_cmpint(relay_step(&p.relay, 0), ==, RELAY_GOES_ON);
    expect(p.far[1], "last");
    expect(p.far[1], ""); /* the end */
    g_assert_cmpuint(relay_wants(&p.relay, 0), ==, 0);
    g_assert_cmpuint(relay_wants(&p.relay, 1), ==, EPOLLIN);
    g_assert_cmpint(write(p.far[1], "reply", 5), ==, 5);
    g_assert_cmpint(relay_step(&p.relay, 1), ==, RELAY_GOES_ON);
    expect(p.far[0], "reply");
    shutdown(p.far[1], SHUT_WR);
    g_assert_cmpint(relay_step(&p.relay, 1), ==, RELAY_ENDED);
    expect(p.far[0], "");
    close_pairs(&p);
}

/* Whoever does not read stops the other, and loses nothing: end included. */
static void back_pressure(void)
{
    enum { TOTAL = 4 << 20 };
    pairs p = open_pairs();
    g_autofree char *block = g_strnfill(1 << 16, 'x');
    gsize sent = 0, got = 0;
    while (relay_wants(&p.relay, 0) & EPOLLIN && sent < TOTAL) {
        gssize n = send(p.far[0], block, 1 << 16, MSG_DONTWAIT);
        sent += n > 0 ? (gsize)n : 0;
        g_assert_cmpint(relay_step(&p.relay, 0), ==, RELAY_GOES_ON);
    }
    g_assert_cmpuint(sent, <, TOTAL);
    g_assert_cmpuint(relay_wants(&p.relay, 1) & EPOLLOUT, ==, EPOLLOUT);
    shutdown(p.far[0], SHUT_WR);
    for (gssize n; (n = recv(p.far[1], block, 1 << 16, MSG_DONTWAIT)) != 0;) {
        got += n > 0 ? (gsize)n : 0;
        for (int side = 0; side < 2; side++)
            g_assert_cmpint(relay_step(&p.relay, side), ==, RELAY_GOES_ON);
    }
    g_assert_cmpuint(got, ==, sent);
    close_pairs(&p);
}

static void broken(void)
{
    pairs p = open_pairs();
    close(p.far[1]);
    p.far[1] = -1;
    g_assert_cmpint(write(p.far[0], "x", 1), ==, 1);
    g_assert_cmpint(relay_step(&p.relay, 0), ==, RELAY_BROKEN);
    close_pairs(&p);
}

/* Blocking sockets do not block it. */
static void never_blocks(void)
{
    pairs p = open_pairs();
    g_assert_cmpint(relay_step(&p.relay, 0), ==, RELAY_GOES_ON);
    g_assert_cmpint(relay_step(&p.relay, 1), ==, RELAY_GOES_ON);
    close_pairs(&p);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/port-relay/both-ways", both_ways);
    g_test_add_func("/port-relay/half-close", half_close);
    g_test_add_func("/port-relay/back-pressure", back_pressure);
    g_test_add_func("/port-relay/broken", broken);
    g_test_add_func("/port-relay/never-blocks", never_blocks);
    return g_test_run();
}
