#include "host/bridge/clipboard/xlink.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/bridge/core/xauthority.h"

#define PROTOCOL 11
#define COOKIE_NAME "MIT-MAGIC-COOKIE-1"
#define READ_SIZE ((size_t)64 * 1024)
#define LITTLE_ENDIAN_CLIENT 'l'
#define BIG_ENDIAN_CLIENT 'B'

uint32_t xlink_halves(uint16_t first, uint16_t second)
{
    uint16_t both[2] = {first, second};
    uint32_t word;
    memcpy(&word, both, sizeof word);
    return word;
}

static void put_bytes(struct xlink *self, const void *data, size_t length)
{
    static const char zeros[4];
    if (byte_queue_append(&self->out, data, length) < 0 ||
        byte_queue_append(&self->out, zeros, -length & 3) < 0)
        self->is_broken = 1;
}

void xlink_put(struct xlink *self, uint8_t opcode, uint8_t second, const uint32_t *words,
               size_t count, const void *data, size_t length)
{
    unsigned char head[4] = {opcode, second};
    uint16_t size = (uint16_t)(1 + count + (length + 3) / 4);
    memcpy(head + 2, &size, sizeof size);
    put_bytes(self, head, sizeof head);
    put_bytes(self, words, count * sizeof *words);
    put_bytes(self, data, length);
    self->sequence++;
}

int xlink_flush(struct xlink *self)
{
    while (!self->is_broken && self->out.length > 0) {
        ssize_t n = send(self->fd, self->out.data, self->out.length, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return 0;
        if (n < 0)
            self->is_broken = 1;
        else
            byte_queue_consume(&self->out, (size_t)n);
    }
    return self->is_broken ? -1 : 0;
}

int xlink_is_full(const struct xlink *self)
{
    return self->out.length > 0;
}

int xlink_fill(struct xlink *self)
{
    unsigned char *room = byte_queue_reserve(&self->in, READ_SIZE);
    ssize_t n = room ? recv(self->fd, room, READ_SIZE, MSG_DONTWAIT) : 0;
    if (n > 0)
        self->in.length += (size_t)n;
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        self->is_broken = 1;
    return self->is_broken ? -1 : 0;
}

const unsigned char *xlink_next(struct xlink *self, size_t *length)
{
    long size = self->is_broken ? 0 : xwire_size(self->in.data, self->in.length);
    if (size < 0)
        self->is_broken = 1;
    *length = size > 0 ? (size_t)size : 0;
    return size > 0 ? self->in.data : NULL;
}

void xlink_drop(struct xlink *self, size_t length)
{
    byte_queue_consume(&self->in, length);
}

/* Sends all, and waits for more to read. */
static int exchange_more(struct xlink *self)
{
    struct pollfd ready = {.fd = self->fd};
    do {
        if (xlink_flush(self) < 0)
            return -1;
        ready.events = xlink_is_full(self) ? POLLIN | POLLOUT : POLLIN;
        if (poll(&ready, 1, -1) < 0 && errno != EINTR)
            return -1;
    } while (!(ready.revents & ~POLLOUT));
    return xlink_fill(self);
}

int xlink_ask(struct xlink *self, unsigned char *reply, size_t size)
{
    for (;;) {
        size_t length;
        const unsigned char *message = xlink_next(self, &length);
        if (self->is_broken || (!message && exchange_more(self) < 0))
            return -1;
        if (!message)
            continue;
        int is_ours = message[0] <= XWIRE_REPLY && xwire_sequence(message) == self->sequence;
        int kind = message[0];
        memset(reply, 0, size);
        memcpy(reply, message, length < size ? length : size);
        xlink_drop(self, length);
        if (is_ours)
            return kind == XWIRE_REPLY ? 0 : -1;
    }
}

/* Our byte order, the protocol's version, sizes of the cookie's name and of the cookie; and both.
 */
static void greet(struct xlink *self, const unsigned char *cookie)
{
    uint16_t name = cookie ? (uint16_t)strlen(COOKIE_NAME) : 0;
    uint16_t head[6] = {0, PROTOCOL, 0, name, cookie ? XAUTHORITY_COOKIE : 0};
    *(unsigned char *)head = xlink_halves(1, 0) == 1 ? LITTLE_ENDIAN_CLIENT : BIG_ENDIAN_CLIENT;
    put_bytes(self, head, sizeof head);
    put_bytes(self, COOKIE_NAME, name);
    put_bytes(self, cookie, cookie ? XAUTHORITY_COOKIE : 0);
}

int xlink_greet(struct xlink *self, int fd, const unsigned char *cookie)
{
    *self = (struct xlink){.fd = fd};
    greet(self, cookie);
    return xlink_flush(self);
}

int xlink_welcome(struct xlink *self)
{
    for (;;) {
        long size = xwire_setup_size(self->in.data, self->in.length);
        if (size < 0)
            return -1;
        if (size > 0) {
            int done = xwire_setup(self->in.data, (size_t)size, &self->setup);
            xlink_drop(self, (size_t)size);
            return done;
        }
        if (exchange_more(self) < 0)
            return -1;
    }
}
