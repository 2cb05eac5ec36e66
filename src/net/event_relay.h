/*
 * A TCP connection that a process carries: a relay between two sockets, in the event loop. Before
 * it is started, the owner uses the two watches as it likes. libc only.
 */
#pragma once

#include <stdbool.h>

#include "net/event_loop.h"
#include "net/stream_relay.h"

struct event_relay {
    struct event_watch side[2]; /* with the sockets */
    struct stream_relay relay;
    void (*moved)(struct event_relay *self); /* may be NULL: after each step */
    /* Both ends have been passed on; BROKEN: a socket failed. The owner closes it. */
    void (*ended)(struct event_relay *self, bool broken);
    void *owner; /* for these */
};

/* Without sockets. The callbacks and OWNER are 0. */
void event_relay_init(struct event_relay *self);
/* Relays from now on. If the process is killed, both connections are reset. */
void event_relay_start(struct event_relay *self);
/* Closes both sockets. A failed connection is reset, so that its other end does not take it for a
 * complete one. */
void event_relay_close(struct event_relay *self, bool reset);

/* How many relays the process has descriptors for, with OTHERS for everything else, and at most
 * MOST. Raises RLIMIT_NOFILE as far as it goes. */
unsigned event_relay_limit(unsigned others, unsigned most);
