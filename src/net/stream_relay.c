#include "net/stream_relay.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* Chunks that a relay moves in a row before others have their turn. */
#define TURN_CHUNKS 8
/* A file's reader may be a terminal that shows a chunk slowly, and blocks meanwhile. */
#define FILE_CHUNK (PUMP_CHUNK / 2)

/* Of a direction of a relay, and of the other one while the first keeps as much. */
#define RELAY_CHUNK (STREAM_RELAY_MAX / 5 * 4)
#define RELAY_CHUNK_LESS (STREAM_RELAY_MAX - RELAY_CHUNK)

/* A chunk that no pump uses now: most reads are written at once, and need no other. */
static char *spare;
static size_t spare_room;

static void get_chunk(struct pump *self)
{
    self->room = self->wanted ? self->wanted : PUMP_CHUNK;
    if (spare && spare_room == self->room) {
        self->chunk = spare;
        spare = NULL;
    } else {
        self->chunk = malloc(self->room);
    }
}

static void put_chunk(struct pump *self)
{
    if (spare && spare_room >= self->room) {
        free(self->chunk);
    } else {
        free(spare);
        spare = self->chunk;
        spare_room = self->room;
    }
    self->chunk = NULL;
}

static int would_block(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

static ssize_t receive(struct pump *self, char *chunk)
{
    if (self->kind == PUMP_FILES)
        return read(self->from, chunk, FILE_CHUNK);
    if (self->kind == PUMP_SOCKETS)
        return recv(self->from, chunk, self->room, MSG_DONTWAIT);
    int flags = MSG_DONTWAIT;
    ssize_t length =
        descriptors_receive(self->from, chunk, PUMP_CHUNK, self->fds, DESCRIPTORS_MAX, &flags);
    for (self->n_fds = 0; self->n_fds < DESCRIPTORS_MAX && self->fds[self->n_fds] >= 0;)
        self->n_fds++;
    /* Bytes whose descriptors are lost make no sense to their reader. */
    if (length >= 0 && flags & MSG_CTRUNC) {
        errno = EMFILE;
        return -1;
    }
    return length;
}

int pump_read(struct pump *self)
{
    if (self->chunk || self->has_ended)
        return 0;
    get_chunk(self);
    if (!self->chunk)
        return -1;
    ssize_t length = receive(self, self->chunk), kept = length;
    if (length <= 0) {
        int saved = errno;
        put_chunk(self);
        errno = saved;
        self->has_ended = length == 0;
        return length == 0 || would_block() ? 0 : -1;
    }
    self->has_moved = 1;
    if (self->look)
        kept = self->look(self, self->chunk, (size_t)length);
    if (kept <= 0) {
        put_chunk(self);
        return kept < 0 ? -1 : 1;
    }
    self->begin = 0;
    self->end = (size_t)kept;
    return 1;
}

static void close_fds(struct pump *self)
{
    while (self->n_fds > 0)
        close(self->fds[--self->n_fds]);
}

int pump_write(struct pump *self)
{
    if (!self->chunk)
        return 1;
    const char *data = self->chunk + self->begin;
    size_t left = self->end - self->begin;
    ssize_t length = self->kind == PUMP_FILES ? write(self->to, data, left)
                     : self->n_fds > 0        ? descriptors_send(self->to, data, left, self->fds,
                                                                 self->n_fds, MSG_DONTWAIT)
                                       : send(self->to, data, left, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (length < 0)
        return would_block() ? 0 : -1;
    if (length > 0)
        close_fds(self);
    self->begin += (size_t)length;
    self->passed += (size_t)length;
    if (self->begin < self->end)
        return 0;
    put_chunk(self);
    return 1;
}

void pump_clear(struct pump *self)
{
    close_fds(self);
    if (self->chunk)
        put_chunk(self);
    *self = (struct pump){.from = -1, .to = -1};
}

void stream_relay_init(struct stream_relay *self, enum pump_kind kind, int side0, int side1)
{
    self->pump[0] = (struct pump){.from = side0, .to = side1, .kind = kind};
    self->pump[1] = (struct pump){.from = side1, .to = side0, .kind = kind};
}

uint32_t stream_relay_events(const struct stream_relay *self, int side)
{
    const struct pump *in = &self->pump[side], *out = &self->pump[!side];
    return (!in->has_ended && !in->chunk ? (uint32_t)EPOLLIN : 0u) |
           (out->chunk ? (uint32_t)EPOLLOUT : 0u);
}

/* Passes the end on once everything before it was. */
static void pass_end(struct pump *self)
{
    if (!self->has_ended || self->chunk || self->has_shut_down)
        return;
    shutdown(
        self->to,
        SHUT_WR); /* fails when the reader has closed its socket, which the other pump notices */
    self->has_shut_down = 1;
}

enum stream_relay_state stream_relay_step(struct stream_relay *self, int side)
{
    struct pump *in = &self->pump[side], *out = &self->pump[!side];
    if (pump_write(out) < 0)
        return STREAM_RELAY_BROKEN;
    if (in->kind == PUMP_SOCKETS)
        in->wanted = out->chunk && out->room == RELAY_CHUNK ? RELAY_CHUNK_LESS : RELAY_CHUNK;
    for (int i = 0, more = 1; i < TURN_CHUNKS && more; i++) {
        more = pump_read(in);
        int written = more > 0 ? pump_write(in) : 0;
        if (more < 0 || written < 0)
            return STREAM_RELAY_BROKEN;
        more = written;
    }
    pass_end(in);
    pass_end(out);
    return in->has_shut_down && out->has_shut_down ? STREAM_RELAY_ENDED : STREAM_RELAY_OPEN;
}

void stream_relay_clear(struct stream_relay *self)
{
    pump_clear(&self->pump[0]);
    pump_clear(&self->pump[1]);
}
