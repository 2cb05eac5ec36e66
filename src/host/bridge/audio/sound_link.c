#include "host/bridge/audio/sound_link.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "sys/clock.h"

#define CHUNK ((size_t)65536)
/* When so much waits to be sent to one of them, no more is read from the other. */
#define FULL ((size_t)256 * 1024)
/*
 * Bytes of a millisecond, and how many in a row: eight channels at 192 kHz are a third of it. A
 * frame costs at least so much as a busy program may send two of a millisecond.
 */
#define PER_MS 16384
#define BURST ((int64_t)4 << 20)
#define FRAME_COST 8192

enum { PROGRAM, SERVER };

static struct end {
    int fd;
    struct byte_queue in, out;
} ends[2];

/* What the program may still send now. */
static int64_t budget, counted;

static void refill(void)
{
    int64_t now = clock_ms();
    budget += (now - counted) * PER_MS;
    budget = budget > BURST ? BURST : budget;
    counted = now;
}

static int is_open(const struct pulse_filter *filter, int side)
{
    if (side == PROGRAM && (budget < 0 || pulse_is_waiting(filter)))
        return 0;
    return ends[!side].out.length < FULL && ends[side].out.length < FULL;
}

/* The frames that are whole. -1: the connection is over. */
static int pass(struct pulse_filter *filter, int side)
{
    struct byte_queue *in = &ends[side].in;
    size_t done = 0;
    long length = 0;
    while (is_open(filter, side)) {
        const unsigned char *frame = in->data + done;
        length = in->length > done ? pulse_frame(frame, in->length - done) : 0;
        if (length <= 0 || in->length - done < (size_t)length)
            break;
        int passed = side == PROGRAM ? pulse_from_program(filter, frame, (size_t)length,
                                                          &ends[SERVER].out, &ends[PROGRAM].out)
                                     : pulse_from_server(filter, frame, (size_t)length,
                                                         &ends[SERVER].out, &ends[PROGRAM].out);
        if (passed < 0)
            return -1;
        if (side == PROGRAM)
            budget -= length > FRAME_COST ? length : FRAME_COST;
        done += (size_t)length;
    }
    byte_queue_consume(in, done);
    return length < 0 ? -1 : 0;
}

static int fill(struct end *end)
{
    unsigned char *at = byte_queue_reserve(&end->in, CHUNK);
    ssize_t n = at ? recv(end->fd, at, CHUNK, MSG_DONTWAIT) : 0;
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    end->in.length += (size_t)n;
    return n == 0 ? -1 : 0;
}

static int drain(struct end *end)
{
    if (end->out.length == 0)
        return 0;
    ssize_t n = send(end->fd, end->out.data, end->out.length, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    byte_queue_consume(&end->out, (size_t)n);
    return 0;
}

/* -1: one of them has ended. */
static int serve(const struct pollfd *polls, const int *wants)
{
    for (int i = 0; i < 2; i++) {
        if (polls[i].revents & POLLIN && wants[i] && fill(&ends[i]) < 0)
            return -1;
        if (polls[i].revents & (POLLERR | POLLHUP | POLLNVAL) && !(polls[i].revents & POLLIN))
            return -1;
    }
    return 0;
}

static int turn(struct pulse_filter *filter)
{
    struct pollfd polls[2];
    int wants[2];
    refill();
    /* The server first: it may be what the program waits for. */
    if (pass(filter, SERVER) < 0 || pass(filter, PROGRAM) < 0)
        return -1;
    for (int i = 0; i < 2; i++) {
        if (drain(&ends[i]) < 0)
            return -1;
        wants[i] = is_open(filter, i);
        polls[i].fd = ends[i].fd;
        polls[i].events = (short)((wants[i] ? POLLIN : 0) | (ends[i].out.length ? POLLOUT : 0));
    }
    int patience = budget < 0 ? (int)(-budget / PER_MS) + 1 : -1;
    if (poll(polls, 2, patience) < 0)
        return errno == EINTR ? 0 : -1;
    return serve(polls, wants);
}

void sound_link_run(struct pulse_filter *filter, int program, int server)
{
    ends[PROGRAM].fd = program;
    ends[SERVER].fd = server;
    budget = BURST;
    counted = clock_ms();
    while (turn(filter) == 0)
        ;
    /* What its last words were. */
    drain(&ends[PROGRAM]);
    drain(&ends[SERVER]);
}
