/*
 * A connection to an X server, and its messages, as far as a client needs them that only uses
 * selections. libc only. The box may control its server, so no length in a message is trusted, and
 * a message that is longer than any reply to our requests is an error.
 *
 * Not libxcb: it allocates what a reply's header says (up to 16 GiB), its iterators trust the
 * lengths in a reply, and it waits for as long as the server likes.
 *
 * Nothing blocks but x11_connection_wait_setup() and x11_connection_wait_reply(), which are used at
 * the start. Numbers are in our own byte order, which the connection's first byte asks for.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "net/byte_queue.h"

/* Bytes of a property that are read with one request. */
#define X11_PROPERTY_MAX ((size_t)256 * 1024)
/* The longest message, and the longest reply to the connection setup. */
#define X11_MESSAGE_MAX (X11_PROPERTY_MAX + 32)
#define X11_SETUP_MAX ((size_t)64 * 1024)

/* The type, which is the first byte of a message; 0x80 is added when another client sent it. */
enum {
    X11_ERROR = 0,
    X11_REPLY = 1,
    X11_PROPERTY_NOTIFY = 28,
    X11_SELECTION_CLEAR = 29,
    X11_SELECTION_REQUEST = 30,
    X11_SELECTION_NOTIFY = 31,
    X11_GENERIC_EVENT = 35
};

struct x11_setup {
    uint32_t id, root;   /* the first resource id for us; the root window of the first screen */
    size_t request_size; /* of the longest request, in bytes */
};

/* Size of the setup reply at DATA, of which LENGTH bytes are there. 0: incomplete; -1: too long. */
long x11_setup_size(const unsigned char *data, size_t length);
/* -1: the server refuses the connection, or the reply is malformed. */
int x11_setup_parse(const unsigned char *data, size_t length, struct x11_setup *setup);

/* The same for all later messages. */
long x11_message_size(const unsigned char *data, size_t length);

/* The 32-bit word at byte AT of a message, which is less than 32; its type; the sequence number of
 * the request that it belongs to. */
uint32_t x11_message_word(const unsigned char *message, size_t at);
int x11_message_type(const unsigned char *message);
uint16_t x11_message_sequence(const unsigned char *message);

/* The property in a reply to GetProperty. */
struct x11_property {
    uint32_t type;  /* 0: no such property */
    uint32_t after; /* bytes that are left on the server */
    unsigned width; /* bytes of an item: 1, 2, 4; 0 without a type */
    const unsigned char *data;
    size_t length; /* bytes */
};
int x11_property_parse(const unsigned char *message, size_t length, struct x11_property *property);

struct x11_connection {
    int fd;
    struct byte_queue in, out;
    uint16_t sequence; /* of the last request */
    int is_broken;
    struct x11_setup setup;
};

/* Takes over FD, a connected socket, and sends the setup with COOKIE (XAUTHORITY_COOKIE bytes; NULL
 * for none). Reads nothing. -1: broken. */
int x11_connection_begin(struct x11_connection *self, int fd, const unsigned char *cookie);
/* Waits for the reply to the setup; the caller has set an alarm. -1: refused or malformed. */
int x11_connection_wait_setup(struct x11_connection *self);

/*
 * Queues a request: its opcode, its second byte, COUNT words and LENGTH bytes. The caller keeps it
 * below setup.request_size.
 */
void x11_connection_put_request(struct x11_connection *self, uint8_t opcode, uint8_t second,
                                const uint32_t *words, size_t count, const void *data,
                                size_t length);
/* A word of two 16-bit fields, in their order. */
uint32_t x11_pack_halves(uint16_t first, uint16_t second);

/* Sends what it can. -1: broken. */
int x11_connection_flush(struct x11_connection *self);
/* Whether some output could not be sent yet. */
int x11_connection_has_output(const struct x11_connection *self);
/* Receives what is there. -1: broken or closed. */
int x11_connection_receive(struct x11_connection *self);
/* The next complete message and its LENGTH, valid until it is consumed. NULL: none, or is_broken.
 */
const unsigned char *x11_connection_next(struct x11_connection *self, size_t *length);
void x11_connection_consume(struct x11_connection *self, size_t length);

/* Waits for the reply to the last request and copies its first SIZE bytes to REPLY, filled up with
 * zeros. Messages before it are dropped. -1: an error reply, or broken. */
int x11_connection_wait_reply(struct x11_connection *self, unsigned char *reply, size_t size);
