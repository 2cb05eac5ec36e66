/*
 * The names of the programs behind connections, for the log: asks program_finder.h, and goes on
 * meanwhile. At most so many a second that it costs little. For the event loop. libc only.
 */
#pragma once

#include <stdbool.h>

#include "host/gate/program_finder.h"
#include "net/event_loop.h"

#define PROGRAM_BURST 50
#define PROGRAM_REFILL_MS 100

/* Of a connection; all zero at first. */
struct program_wait {
    struct program_wait *next, **at; /* AT NULL: nothing is asked */
    uint64_t number;
    char name[NETWORK_PROGRAM_SIZE]; /* "": not known, or not yet */
    /* NULL, or what is called when the answer is there. */
    void (*answered)(struct program_wait *self);
    void *owner; /* for ANSWERED */
};

/* DIAG is of socket_diag.h, FINDER of program_finder.h; -1: there is none. */
void program_names_start(int diag, int finder);
/* Asks for who is at the other end of CONNECTION, and has dialled DESTINATION. */
void program_names_ask(struct program_wait *self, int connection,
                       const struct sockaddr_in6 *destination);
/* TRUE: no program has the other end of CONNECTION, which has dialled DESTINATION, any more. FALSE
 * also when the kernel does not say. */
bool program_names_has_none(int connection, const struct sockaddr_in6 *destination);
static inline bool program_names_waits(const struct program_wait *self)
{
    return self->at != 0;
}
/* SELF is freed next. */
void program_names_forget(struct program_wait *self);
