#include "port/relay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

/* Chunks in a row before others have their turn. */
#define TURN 8

static char chunk[RELAY_CHUNK];

uint32_t relay_wants(const struct relay *self, int side)
{
    const struct flow *from = &self->flow[side], *to = &self->flow[!side];
    return (!from->ended && !from->kept ? (uint32_t)EPOLLIN : 0u) |
           (to->kept ? (uint32_t)EPOLLOUT : 0u);
}

static int would_block(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/* How much of DATA went out; -1 when the connection is broken. */
static ssize_t give(int fd, const char *data, size_t length)
{
    ssize_t n = send(fd, data, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    return n >= 0 ? n : would_block() ? 0 : -1;
}

static int keep(struct flow *self, const char *data, size_t length)
{
    self->kept = malloc(length);
    if (!self->kept)
        return -1;
    memcpy(self->kept, data, length);
    self->begin = 0;
    self->end = length;
    return 0;
}

/* Passes the end on, once everything in front of it has been. */
static void tell_end(struct flow *self, int to)
{
    if (!self->ended || self->kept || self->end_was_told)
        return;
    shutdown(to, SHUT_WR); /* fails when it has gone, which shows elsewhere */
    self->end_was_told = 1;
}

/* 0, or -1: broken. */
static int write_kept(struct flow *self, int to)
{
    ssize_t n = give(to, self->kept + self->begin, self->end - self->begin);
    if (n < 0)
        return -1;
    self->begin += (size_t)n;
    if (self->begin == self->end) {
        free(self->kept);
        self->kept = NULL;
    }
    return 0;
}

/* One chunk. 1: there may be more, 0: not now, -1: broken. */
static int move(struct flow *self, int from, int to)
{
    ssize_t have = recv(from, chunk, sizeof chunk, MSG_DONTWAIT);
    if (have < 0)
        return would_block() ? 0 : -1;
    if (have == 0) {
        self->ended = 1;
        return 0;
    }
    self->any = 1;
    ssize_t gone = give(to, chunk, (size_t)have);
    if (gone < 0)
        return -1;
    if (gone < have)
        return keep(self, chunk + gone, (size_t)(have - gone));
    return 1;
}

enum relay_state relay_step(struct relay *self, int side)
{
    struct flow *from = &self->flow[side], *to = &self->flow[!side];
    if (to->kept && write_kept(to, self->fd[side]) < 0)
        return RELAY_BROKEN;
    int more = 1;
    for (int i = 0; i < TURN && more && !from->ended && !from->kept; i++) {
        more = move(from, self->fd[side], self->fd[!side]);
        if (more < 0)
            return RELAY_BROKEN;
    }
    tell_end(from, self->fd[!side]);
    tell_end(to, self->fd[side]);
    return from->end_was_told && to->end_was_told ? RELAY_ENDED : RELAY_GOES_ON;
}

void relay_clear(struct relay *self)
{
    free(self->flow[0].kept);
    free(self->flow[1].kept);
    *self = (struct relay){.fd = {-1, -1}};
}
