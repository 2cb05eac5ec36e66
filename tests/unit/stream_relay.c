/* Pumps and relays: ends, back-pressure, descriptors, failures. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/stream_relay.h"

/* near[] are the relay's sockets, far[] those of the two programs that talk through it. */
typedef struct {
    struct stream_relay relay;
    int near[2], far[2];
} pairs;

static pairs open_pairs(enum pump_kind kind)
{
    pairs made = {0};
    for (int i = 0; i < 2; i++) {
        int pair[2];
        g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), ==, 0);
        made.near[i] = pair[0];
        made.far[i] = pair[1];
    }
    stream_relay_init(&made.relay, kind, made.near[0], made.near[1]);
    return made;
}

static void close_pairs(pairs *self)
{
    stream_relay_clear(&self->relay);
    for (int i = 0; i < 2; i++) {
        close(self->near[i]);
        close(self->far[i]);
    }
}

static void step(pairs *self, int side, enum stream_relay_state expected)
{
    g_assert_cmpint(stream_relay_step(&self->relay, side), ==, expected);
}

static void expect(int fd, const char *text)
{
    char got[64] = {0};
    g_assert_cmpint(recv(fd, got, sizeof got - 1, MSG_DONTWAIT), ==, (gssize)strlen(text));
    g_assert_cmpstr(got, ==, text);
}

static void moves_both_ways(void)
{
    pairs p = open_pairs(PUMP_SOCKETS);
    g_assert_cmpint(write(p.far[0], "question", 8), ==, 8);
    step(&p, 0, STREAM_RELAY_OPEN);
    expect(p.far[1], "question");
    g_assert_true(p.relay.pump[0].has_moved);
    g_assert_false(p.relay.pump[1].has_moved);
    g_assert_cmpint(write(p.far[1], "answer", 6), ==, 6);
    step(&p, 1, STREAM_RELAY_OPEN);
    expect(p.far[0], "answer");
    close_pairs(&p);
}

static void end_of_one_direction_leaves_the_other(void)
{
    pairs p = open_pairs(PUMP_SOCKETS);
    g_assert_cmpint(write(p.far[0], "last", 4), ==, 4);
    shutdown(p.far[0], SHUT_WR);
    step(&p, 0, STREAM_RELAY_OPEN);
    step(&p, 0, STREAM_RELAY_OPEN);
    expect(p.far[1], "last");
    expect(p.far[1], ""); /* the end */
    g_assert_cmpuint(stream_relay_events(&p.relay, 0), ==, 0);
    g_assert_cmpuint(stream_relay_events(&p.relay, 1), ==, EPOLLIN);
    g_assert_cmpint(write(p.far[1], "reply", 5), ==, 5);
    step(&p, 1, STREAM_RELAY_OPEN);
    expect(p.far[0], "reply");
    shutdown(p.far[1], SHUT_WR);
    step(&p, 1, STREAM_RELAY_ENDED);
    expect(p.far[0], "");
    close_pairs(&p);
}

/* A program that does not read blocks the other one, and nothing is lost, nor the end. */
static void slow_reader_stops_the_writer(void)
{
    enum { TOTAL = 4 << 20, BLOCK = 1 << 16 };
    pairs p = open_pairs(PUMP_SOCKETS);
    g_autofree char *block = g_strnfill(BLOCK, 'x');
    gsize sent = 0, got = 0;
    while (stream_relay_events(&p.relay, 0) & EPOLLIN && sent < TOTAL) {
        gssize n = send(p.far[0], block, BLOCK, MSG_DONTWAIT);
        sent += n > 0 ? (gsize)n : 0;
        step(&p, 0, STREAM_RELAY_OPEN);
    }
    g_assert_cmpuint(sent, <, TOTAL);
    g_assert_cmpuint(stream_relay_events(&p.relay, 1) & EPOLLOUT, ==, EPOLLOUT);
    shutdown(p.far[0], SHUT_WR);
    for (gssize n; (n = recv(p.far[1], block, BLOCK, MSG_DONTWAIT)) != 0;) {
        got += n > 0 ? (gsize)n : 0;
        for (int side = 0; side < 2; side++)
            step(&p, side, STREAM_RELAY_OPEN);
    }
    g_assert_cmpuint(got, ==, sent);
    close_pairs(&p);
}

/* Relays share a chunk: what one keeps must not reach another's reader. */
static void relays_do_not_mix_their_bytes(void)
{
    pairs full = open_pairs(PUMP_SOCKETS), other = open_pairs(PUMP_SOCKETS);
    g_autofree char *block = g_strnfill(1 << 16, 'x');
    while (!full.relay.pump[0].chunk) {
        send(full.far[0], block, 1 << 16, MSG_DONTWAIT);
        step(&full, 0, STREAM_RELAY_OPEN);
    }
    g_assert_cmpint(write(other.far[0], "other", 5), ==, 5);
    step(&other, 0, STREAM_RELAY_OPEN);
    expect(other.far[1], "other");
    for (gssize n; (n = recv(full.far[1], block, 1 << 16, MSG_DONTWAIT)) > 0;) {
        for (gssize i = 0; i < n; i++)
            g_assert_cmpint(block[i], ==, 'x');
        memset(block, 'x', 1 << 16);
        step(&full, 1, STREAM_RELAY_OPEN);
    }
    close_pairs(&full);
    close_pairs(&other);
}

/* Writers that never stop, and readers that never begin. */
static void what_a_relay_keeps_is_bounded(void)
{
    pairs p = open_pairs(PUMP_SOCKETS);
    gsize kept = 0;
    static const char block[1 << 16];
    for (int i = 0; i < 200; i++) {
        int side = i % 2;
        while (send(p.far[side], block, sizeof block, MSG_DONTWAIT) > 0)
            ;
        step(&p, side, STREAM_RELAY_OPEN);
    }
    for (int side = 0; side < 2; side++) {
        g_assert_nonnull(p.relay.pump[side].chunk);
        kept += p.relay.pump[side].room;
    }
    g_assert_cmpuint(kept, <=, STREAM_RELAY_MAX);
    close_pairs(&p);
}

static void lost_reader_breaks_it(void)
{
    pairs p = open_pairs(PUMP_SOCKETS);
    close(p.far[1]);
    p.far[1] = -1;
    g_assert_cmpint(write(p.far[0], "x", 1), ==, 1);
    step(&p, 0, STREAM_RELAY_BROKEN);
    close_pairs(&p);
}

static void blocking_sockets_do_not_block_it(void)
{
    pairs p = open_pairs(PUMP_SOCKETS);
    step(&p, 0, STREAM_RELAY_OPEN);
    step(&p, 1, STREAM_RELAY_OPEN);
    close_pairs(&p);
    p = open_pairs(PUMP_SOCKETS_WITH_DESCRIPTORS);
    step(&p, 0, STREAM_RELAY_OPEN);
    step(&p, 1, STREAM_RELAY_OPEN);
    close_pairs(&p);
}

static void send_fd(int socket, const char *text, int fd)
{
    g_assert_cmpint(descriptors_send(socket, text, strlen(text), &fd, 1, 0), ==,
                    (gssize)strlen(text));
}

/* The program at the far end sends TEXT, optionally with a descriptor. */
static void expect_with_fd(int socket, const char *text, gboolean has_fd)
{
    char got[64] = {0};
    int fd, flags = MSG_DONTWAIT;
    g_assert_cmpint(descriptors_receive(socket, got, sizeof got - 1, &fd, 1, &flags), ==,
                    (gssize)strlen(text));
    g_assert_cmpstr(got, ==, text);
    g_assert_true((fd >= 0) == has_fd);
    g_assert_cmpint(flags & MSG_CTRUNC, ==, 0);
    if (fd >= 0)
        close(fd);
}

static guint count_open(void)
{
    g_autoptr(GDir) folder = g_dir_open("/proc/self/fd", 0, NULL);
    guint count = 0;
    while (g_dir_read_name(folder))
        count++;
    return count;
}

static void descriptors_are_passed_on_with_their_bytes(void)
{
    pairs p = open_pairs(PUMP_SOCKETS_WITH_DESCRIPTORS);
    guint before = count_open();
    send_fd(p.far[0], "one", 0);
    g_assert_cmpint(write(p.far[0], "two", 3), ==, 3);
    step(&p, 0, STREAM_RELAY_OPEN);
    expect_with_fd(p.far[1], "one", TRUE);
    expect_with_fd(p.far[1], "two", FALSE);
    send_fd(p.far[1], "back", 0);
    step(&p, 1, STREAM_RELAY_OPEN);
    expect_with_fd(p.far[0], "back", TRUE);
    g_assert_cmpuint(count_open(), ==, before); /* the relay keeps none */
    close_pairs(&p);
}

/* Descriptors wait with their bytes while the reader is slow, and are closed when it goes. */
static void descriptors_wait_with_their_bytes(void)
{
    pairs p = open_pairs(PUMP_SOCKETS_WITH_DESCRIPTORS);
    g_autofree char *block = g_strnfill(1 << 16, 'x');
    while (!p.relay.pump[0].chunk) {
        send(p.far[0], block, 1 << 16, MSG_DONTWAIT);
        step(&p, 0, STREAM_RELAY_OPEN);
    }
    while (recv(p.far[1], block, 1 << 16, MSG_DONTWAIT) > 0)
        ;
    step(&p, 1, STREAM_RELAY_OPEN);
    while (recv(p.far[0], block, 1 << 16, MSG_DONTWAIT) > 0)
        ;
    guint before = count_open();
    close(p.far[1]);
    p.far[1] = -1;
    send_fd(p.far[0], "x", 0);
    while (stream_relay_step(&p.relay, 0) == STREAM_RELAY_OPEN)
        ;
    close_pairs(&p);
    g_assert_cmpuint(count_open(), <, before);
}

static void plain_relay_drops_descriptors(void)
{
    pairs p = open_pairs(PUMP_SOCKETS);
    guint before = count_open();
    send_fd(p.far[0], "one", 0);
    step(&p, 0, STREAM_RELAY_OPEN);
    expect_with_fd(p.far[1], "one", FALSE);
    g_assert_cmpuint(count_open(), ==, before);
    close_pairs(&p);
}

static void pump_copies_files(void)
{
    g_autofree char *name = NULL, *text = g_strnfill(300000, 'y');
    int ends[2], file = g_file_open_tmp("stream-relay-XXXXXX", &name, NULL);
    g_assert_cmpint(pipe2(ends, O_CLOEXEC | O_NONBLOCK), ==, 0);
    g_assert_cmpint(write(file, text, 300000), ==, 300000);
    g_assert_cmpint(lseek(file, 0, SEEK_SET), ==, 0);
    struct pump pump = {.from = file, .to = ends[1]};
    gsize got = 0;
    char buffer[4096];
    while (!pump.has_ended) {
        pump_read(&pump);
        g_assert_cmpint(pump_read(&pump), ==, 0); /* not before all of it is written */
        while (pump_write(&pump) == 0) {
            gssize n = read(ends[0], buffer, sizeof buffer);
            got += n > 0 ? (gsize)n : 0;
        }
    }
    for (gssize n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
        got += (gsize)n;
    g_assert_cmpuint(got, ==, 300000);
    close(ends[1]);
    struct pump broken = {.from = file, .to = ends[1]};
    g_assert_cmpint(lseek(file, 0, SEEK_SET), ==, 0);
    g_assert_cmpint(pump_read(&broken), ==, 1);
    g_assert_cmpint(pump_write(&broken), ==, -1);
    pump_clear(&broken);
    pump_clear(&pump);
    close(ends[0]);
    close(file);
    unlink(name);
}

/* Passes what comes before an 'x', and breaks at a '!'. */
static ssize_t look(struct pump *pump, const void *data, size_t length)
{
    const char *x = memchr(data, 'x', length);
    if (memchr(data, '!', length))
        return -1;
    return x ? x - (const char *)data : (ssize_t)length;
}

static void what_is_read_is_looked_at(void)
{
    pairs p = open_pairs(PUMP_SOCKETS);
    p.relay.pump[0].look = look;
    g_assert_cmpint(write(p.far[0], "goodxbad", 8), ==, 8);
    step(&p, 0, STREAM_RELAY_OPEN);
    expect(p.far[1], "good");
    g_assert_cmpint(write(p.far[0], "xbad", 4), ==, 4);
    step(&p, 0, STREAM_RELAY_OPEN);
    g_assert_cmpint(write(p.far[0], "more", 4), ==, 4);
    step(&p, 0, STREAM_RELAY_OPEN);
    expect(p.far[1], "more");
    g_assert_cmpint(write(p.far[1], "x!", 2), ==, 2);
    step(&p, 1, STREAM_RELAY_OPEN);
    expect(p.far[0], "x!");
    g_assert_cmpint(write(p.far[0], "!", 1), ==, 1);
    step(&p, 0, STREAM_RELAY_BROKEN);
    close_pairs(&p);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/stream-relay/both-ways", moves_both_ways);
    g_test_add_func("/stream-relay/half-close", end_of_one_direction_leaves_the_other);
    g_test_add_func("/stream-relay/slow-reader", slow_reader_stops_the_writer);
    g_test_add_func("/stream-relay/bounded", what_a_relay_keeps_is_bounded);
    g_test_add_func("/stream-relay/bytes-do-not-mix", relays_do_not_mix_their_bytes);
    g_test_add_func("/stream-relay/lost-reader", lost_reader_breaks_it);
    g_test_add_func("/stream-relay/never-blocks", blocking_sockets_do_not_block_it);
    g_test_add_func("/stream-relay/descriptors", descriptors_are_passed_on_with_their_bytes);
    g_test_add_func("/stream-relay/descriptors-wait", descriptors_wait_with_their_bytes);
    g_test_add_func("/stream-relay/descriptors-dropped", plain_relay_drops_descriptors);
    g_test_add_func("/stream-relay/look", what_is_read_is_looked_at);
    g_test_add_func("/stream-relay/files", pump_copies_files);
    return g_test_run();
}
