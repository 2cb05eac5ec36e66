/*
 * The clients of a listener: so many at a time, each for so long. More wait in the kernel. For the
 * event loop of the process. libc only.
 */
#pragma once

#include <stddef.h>

#include "net/event_loop.h"

/* A connection: the first member of what its owner keeps for it. */
struct event_client {
    struct event_watch watch; /* its owner is this */
    struct event_timer timer;
    struct event_clients *all;
};

struct event_clients {
    size_t size; /* bytes of what is kept for one, all 0 at first; calloc'ed */
    int most;
    int64_t ms; /* after which one is ended */
    /* It can be read, or has failed. */
    void (*ready)(struct event_watch *watch, uint32_t events);
    void (*ended)(struct event_client *client); /* NULL, or called before it is freed */
    /* State, all 0 at first: */
    struct event_watch listener;
    struct event_timer pause;
    int count;
};

/* Accepts clients from LISTENER, which does not block. SELF and LISTENER are kept. 0, or -1 with
 * errno. */
int event_clients_start(struct event_clients *self, int listener);
/* Closes the connection and frees CLIENT. */
void event_client_end(struct event_client *client);
