/*
 * The names of the programs behind connections, for the log: asks program_finder.c, and goes on
 * meanwhile. At most so many a second that it costs little. For the event loop. libc only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "net/event_loop.h"
#include "proto/network_record.h"

/*
 * program_finder.c: finds which program of a box has a socket, for the log: a process that the gate
 * forks before it is confined. It looks at the box's processes in the /proc of the box, which has
 * no others.
 *
 * The gate itself must not see them, and Landlock hides what is outside of a process that it
 * confines: so this one has seccomp alone, starts and writes nothing, and takes a number from the
 * gate. What it finds is a hint. A program can call itself what it likes, pass its sockets on, and
 * be gone before anybody looks. libc only.
 */

struct program_query {
    uint64_t number;
    uint32_t inode;
};
struct program_answer {
    uint64_t number;
    char name[NETWORK_PROGRAM_SIZE]; /* "": not found */
};

/* Forks it for the box whose PID 1 is RUN, which is kept. Returns the socket to it, or -1. */
int program_finder_fork(const char *run);

/* The name of a process that has the socket INODE open, of those in PROC, a descriptor of a folder
 * as /proc; "" is not found. It looks at no more processes and descriptors than a few thousand, and
 * takes no more than some milliseconds of a processor. */
void program_finder_look(int proc, uint32_t inode, char name[NETWORK_PROGRAM_SIZE]);
/* Makes one word of printable ASCII of the LENGTH bytes of COMM, which a program has chosen. */
void program_name_clean(const char *comm, int length, char name[NETWORK_PROGRAM_SIZE]);

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

/* DIAG is of socket_diag.h, FINDER of program_finder.c; -1: there is none. */
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
