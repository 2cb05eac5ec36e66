#include "host/bridge/clipboard/x11_connection.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/bridge/core/x_display.h"

#define SETUP_HEAD 8
#define SETUP_FIXED 40
#define FORMAT_SIZE 8
#define SCREEN_SIZE 40
#define MESSAGE_HEAD 32
/* Words of a request that every server accepts. */
#define REQUEST_LEAST 4096

static uint16_t half(const unsigned char *at)
{
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

uint32_t x11_message_word(const unsigned char *message, size_t at)
{
    uint32_t value;
    memcpy(&value, message + at, sizeof value);
    return value;
}

int x11_message_type(const unsigned char *message)
{
    return message[0] & 0x7f;
}

uint16_t x11_message_sequence(const unsigned char *message)
{
    return half(message + 2);
}

long x11_setup_size(const unsigned char *data, size_t length)
{
    if (length < SETUP_HEAD)
        return 0;
    size_t size = SETUP_HEAD + (size_t)half(data + 6) * 4;
    if (size > X11_SETUP_MAX)
        return -1;
    return length < size ? 0 : (long)size;
}

int x11_setup_parse(const unsigned char *data, size_t length, struct x11_setup *setup)
{
    if (length < SETUP_FIXED || data[0] != 1 || data[28] == 0)
        return -1;
    size_t vendor = (half(data + 24) + (size_t)3) & ~(size_t)3;
    size_t screen = SETUP_FIXED + vendor + (size_t)data[29] * FORMAT_SIZE;
    if (length < screen + SCREEN_SIZE || half(data + 26) < REQUEST_LEAST)
        return -1;
    *setup = (struct x11_setup){.id = x11_message_word(data, 12),
                                .root = x11_message_word(data, screen),
                                .request_size = (size_t)half(data + 26) * 4};
    return 0;
}

long x11_message_size(const unsigned char *data, size_t length)
{
    if (length < MESSAGE_HEAD)
        return 0;
    size_t size = MESSAGE_HEAD;
    if (data[0] == X11_REPLY || x11_message_type(data) == X11_GENERIC_EVENT)
        size += (size_t)x11_message_word(data, 4) * 4;
    if (size > X11_MESSAGE_MAX)
        return -1;
    return length < size ? 0 : (long)size;
}

int x11_property_parse(const unsigned char *message, size_t length, struct x11_property *property)
{
    unsigned bits = message[1];
    uint64_t items = x11_message_word(message, 16);
    if (bits != 0 && bits != 8 && bits != 16 && bits != 32)
        return -1;
    if (length < MESSAGE_HEAD || items * (bits / 8) > length - MESSAGE_HEAD)
        return -1;
    *property = (struct x11_property){.type = x11_message_word(message, 8),
                                      .after = x11_message_word(message, 12),
                                      .width = bits / 8,
                                      .data = message + MESSAGE_HEAD,
                                      .length = (size_t)items * (bits / 8)};
    return 0;
}

#define PROTOCOL 11
#define COOKIE_NAME "MIT-MAGIC-COOKIE-1"
#define READ_SIZE ((size_t)64 * 1024)
#define LITTLE_ENDIAN_CLIENT 'l'
#define BIG_ENDIAN_CLIENT 'B'

uint32_t x11_pack_halves(uint16_t first, uint16_t second)
{
    uint16_t both[2] = {first, second};
    uint32_t word;
    memcpy(&word, both, sizeof word);
    return word;
}

static void put_bytes(struct x11_connection *self, const void *data, size_t length)
{
    static const char zeros[4];
    if (byte_queue_append(&self->out, data, length) < 0 ||
        byte_queue_append(&self->out, zeros, -length & 3) < 0)
        self->is_broken = 1;
}

void x11_connection_put_request(struct x11_connection *self, uint8_t opcode, uint8_t second,
                                const uint32_t *words, size_t count, const void *data,
                                size_t length)
{
    unsigned char head[4] = {opcode, second};
    uint16_t size = (uint16_t)(1 + count + (length + 3) / 4);
    memcpy(head + 2, &size, sizeof size);
    put_bytes(self, head, sizeof head);
    put_bytes(self, words, count * sizeof *words);
    put_bytes(self, data, length);
    self->sequence++;
}

int x11_connection_flush(struct x11_connection *self)
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

int x11_connection_has_output(const struct x11_connection *self)
{
    return self->out.length > 0;
}

int x11_connection_receive(struct x11_connection *self)
{
    unsigned char *room = byte_queue_reserve(&self->in, READ_SIZE);
    ssize_t n = room ? recv(self->fd, room, READ_SIZE, MSG_DONTWAIT) : 0;
    if (n > 0)
        self->in.length += (size_t)n;
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        self->is_broken = 1;
    return self->is_broken ? -1 : 0;
}

const unsigned char *x11_connection_next(struct x11_connection *self, size_t *length)
{
    long size = self->is_broken ? 0 : x11_message_size(self->in.data, self->in.length);
    if (size < 0)
        self->is_broken = 1;
    *length = size > 0 ? (size_t)size : 0;
    return size > 0 ? self->in.data : NULL;
}

void x11_connection_consume(struct x11_connection *self, size_t length)
{
    byte_queue_consume(&self->in, length);
}

/* Sends all output, and waits for input. */
static int send_and_receive(struct x11_connection *self)
{
    struct pollfd ready = {.fd = self->fd};
    do {
        if (x11_connection_flush(self) < 0)
            return -1;
        ready.events = x11_connection_has_output(self) ? POLLIN | POLLOUT : POLLIN;
        if (poll(&ready, 1, -1) < 0 && errno != EINTR)
            return -1;
    } while (!(ready.revents & ~POLLOUT));
    return x11_connection_receive(self);
}

int x11_connection_wait_reply(struct x11_connection *self, unsigned char *reply, size_t size)
{
    for (;;) {
        size_t length;
        const unsigned char *message = x11_connection_next(self, &length);
        if (self->is_broken || (!message && send_and_receive(self) < 0))
            return -1;
        if (!message)
            continue;
        int is_ours = message[0] <= X11_REPLY && x11_message_sequence(message) == self->sequence;
        int kind = message[0];
        memset(reply, 0, size);
        memcpy(reply, message, length < size ? length : size);
        x11_connection_consume(self, length);
        if (is_ours)
            return kind == X11_REPLY ? 0 : -1;
    }
}

/* Byte order, protocol version, lengths of the cookie's name and of the cookie, and those two. */
static void put_setup(struct x11_connection *self, const unsigned char *cookie)
{
    uint16_t name = cookie ? (uint16_t)strlen(COOKIE_NAME) : 0;
    uint16_t head[6] = {0, PROTOCOL, 0, name, cookie ? XAUTHORITY_COOKIE : 0};
    *(unsigned char *)head = x11_pack_halves(1, 0) == 1 ? LITTLE_ENDIAN_CLIENT : BIG_ENDIAN_CLIENT;
    put_bytes(self, head, sizeof head);
    put_bytes(self, COOKIE_NAME, name);
    put_bytes(self, cookie, cookie ? XAUTHORITY_COOKIE : 0);
}

int x11_connection_begin(struct x11_connection *self, int fd, const unsigned char *cookie)
{
    *self = (struct x11_connection){.fd = fd};
    put_setup(self, cookie);
    return x11_connection_flush(self);
}

int x11_connection_wait_setup(struct x11_connection *self)
{
    for (;;) {
        long size = x11_setup_size(self->in.data, self->in.length);
        if (size < 0)
            return -1;
        if (size > 0) {
            int done = x11_setup_parse(self->in.data, (size_t)size, &self->setup);
            x11_connection_consume(self, (size_t)size);
            return done;
        }
        if (send_and_receive(self) < 0)
            return -1;
    }
}
