/*
 * A connection to an X server: requests out, messages in. Nothing blocks but xlink_welcome() and
 * xlink_ask(), which are for the beginning; a server that does not keep to the protocol, or does
 * not read what it is sent, ends it.
 */
#pragma once

#include "host/bridge/clipboard/xwire.h"
#include "net/byte_queue.h"

struct xlink {
    int fd;
    struct byte_queue in, out;
    uint16_t sequence; /* of the request that was put last */
    int is_broken;
    struct xwire_setup setup;
};

/* FD is a connected socket, taken; COOKIE, of XAUTHORITY_COOKIE bytes, may be NULL. No byte of the
 * server's is read. -1: broken. */
int xlink_greet(struct xlink *self, int fd, const unsigned char *cookie);
/* Waits for the server's answer: whoever calls has an alarm set. -1: it lets nobody in. */
int xlink_welcome(struct xlink *self);

/*
 * Puts a request: its opcode, its second byte, COUNT words, and LENGTH bytes behind those. It is
 * sent by xlink_flush(). How long it may be is the caller's to see to (setup.request_size).
 */
void xlink_put(struct xlink *self, uint8_t opcode, uint8_t second, const uint32_t *words,
               size_t count, const void *data, size_t length);
/* Two halves of a word, as they are behind one another. */
uint32_t xlink_halves(uint16_t first, uint16_t second);

/* Sends what it can. -1: broken. */
int xlink_flush(struct xlink *self);
/* Whether there is more to be sent. */
int xlink_is_full(const struct xlink *self);
/* Reads what is there. -1: broken, or ended. */
int xlink_fill(struct xlink *self);
/* The next whole message, of *LENGTH bytes, until xlink_drop(); NULL: none yet, or is_broken. */
const unsigned char *xlink_next(struct xlink *self, size_t *length);
void xlink_drop(struct xlink *self, size_t length);

/* The reply to the request that was put last, in REPLY: its first SIZE bytes, with zeros behind it.
 * What comes before it is lost. Waits for it; -1: an error, or broken. */
int xlink_ask(struct xlink *self, unsigned char *reply, size_t size);
