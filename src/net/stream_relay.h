/*
 * Moves bytes between descriptors: a pump in one direction, a relay between two sockets in both.
 * libc only, for one thread of a process.
 *
 * A pump reads a chunk and writes all of it before it reads again. So it buffers PUMP_CHUNK bytes
 * at most, and a slow reader slows down the writer. It allocates a chunk only while there is
 * something to write; the process keeps one spare chunk for all pumps. A relay with PUMP_SOCKETS
 * buffers STREAM_RELAY_MAX bytes, most of them for the direction that fills up first.
 *
 * splice(2) would be no faster: between two sockets of the loopback interface (Linux 6.18) it took
 * as much processor time with as many bytes in a pipe, and with pipes of a MiB all three programs
 * took more, as its pages are in no cache. A user's pipes may have few pages in all, too.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sys/descriptors.h"

#define PUMP_CHUNK ((size_t)128 << 10)
#define STREAM_RELAY_MAX ((size_t)60 << 10)

enum pump_kind {
    /* Files, pipes and terminals, with read(2) and write(2): they block unless O_NONBLOCK is set.
     */
    PUMP_FILES,
    /* Stream sockets. It never blocks, whatever their file flags say: the process at the other end
     * may share them, and change them. */
    PUMP_SOCKETS,
    /* Unix stream sockets, in the same way; descriptors that come with the bytes (SCM_RIGHTS) are
     * passed on with them. */
    PUMP_SOCKETS_WITH_DESCRIPTORS,
};

struct pump {
    int from, to; /* borrowed */
    enum pump_kind kind;
    /* Sees what was read before it is written. Returns how many bytes are: the others are dropped;
     * or -1. It may replace itself. NULL: all are written. */
    ssize_t (*look)(struct pump *self, const void *data, size_t length);
    void *owner; /* for LOOK */
    /* State, all zero at first: */
    char *chunk;              /* what was read and is not written yet is in [BEGIN, END) */
    size_t begin, end;        /* NULL: nothing */
    size_t room;              /* bytes of CHUNK; what the next one will have: */
    size_t wanted;            /* 0: as KIND says */
    int fds[DESCRIPTORS_MAX]; /* to be passed on with its first byte, */
    size_t n_fds;             /* so many */
    int has_moved;            /* something was read */
    uint64_t passed;          /* bytes that were written */
    int has_ended;            /* nothing more comes */
    int has_shut_down;        /* stream_relay_step() alone: the end was passed on */
};

/* Reads a chunk, when none is kept and there is an end to come. Returns 1 when something was read,
 * 0 when not (at the end, HAS_ENDED is set), or -1 with errno or as LOOK says. */
int pump_read(struct pump *self);
/* Writes of what is kept. Returns 1 when nothing is kept any more, 0 when something is, or -1 with
 * errno. */
int pump_write(struct pump *self);
/* Frees what is kept, and closes descriptors that were not passed on. */
void pump_clear(struct pump *self);

/* Two connected sockets until both have ended. PUMP[i] reads from side i and writes to the other.
 */
struct stream_relay {
    struct pump pump[2];
};

enum stream_relay_state {
    STREAM_RELAY_OPEN,
    STREAM_RELAY_ENDED, /* both ends have been passed on */
    STREAM_RELAY_BROKEN /* a socket failed: what is kept is lost */
};

/* KIND: one of the two for sockets. The descriptors are borrowed. */
void stream_relay_init(struct stream_relay *self, enum pump_kind kind, int side0, int side1);
/* What to wait for on SIDE: EPOLLIN and EPOLLOUT; 0: nothing. */
uint32_t stream_relay_events(const struct stream_relay *self, int side);
/* Moves what SIDE has to read or can be written now, up to a limit, so that others have their turn.
 * An end is passed on (shutdown(2)) after everything before it. */
enum stream_relay_state stream_relay_step(struct stream_relay *self, int side);
void stream_relay_clear(struct stream_relay *self);
