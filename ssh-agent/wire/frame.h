/*
 * From a stream to messages: `uint32 length ‖ byte type ‖ body`, in whatever pieces it comes.
 *
 * The same for a client (hostile) and for the real agent (hostile, too). Memory is taken for bytes
 * that came, not for bytes that were announced, and is given back when nothing is held, so that an
 * idle connection costs none.
 */
#pragma once

#include "ssh-agent/wire/buffer.h"

/* Longest message, its type included: OpenSSH's limit. A longer one ends the connection. */
#define SSH_FRAME_MAX 262144

/* Most bytes to feed at a time. */
#define SSH_FRAME_CHUNK 16384

struct ssh_framer {
    uint8_t *data;
    size_t length, room; /* bytes held in data, bytes allocated */
    size_t start;        /* bytes at its beginning that have been taken */
    bool failed;
};

enum ssh_frame {
    SSH_FRAME_NONE,  /* no whole message yet: read more */
    SSH_FRAME_WHOLE, /* one was taken */
    SSH_FRAME_BAD,   /* empty or too long, or memory ran out: close the connection */
};

/* A zeroed struct is an empty framer. */
void ssh_framer_clear(struct ssh_framer *self);

/*
 * Takes the LENGTH bytes that were read, at most SSH_FRAME_CHUNK. Call it only after
 * ssh_framer_next() said NONE (or on a new framer): that bounds what is held to one message and
 * one chunk. FALSE when that rule is broken or memory ran out; next says BAD from then on.
 */
bool ssh_framer_feed(struct ssh_framer *self, const void *bytes, size_t length);

/*
 * The next whole message in order: MESSAGE begins with its type and has at least that byte. It is
 * valid until the next call with this framer. Messages before a bad one are still given.
 */
enum ssh_frame ssh_framer_next(struct ssh_framer *self, struct ssh_span *message);

/* TRUE when part of a message is held: a connection that ends now ended in the middle. */
bool ssh_framer_partial(const struct ssh_framer *self);
