/*
 * Bytes between two connected sockets, both ways, until both have ended.
 *
 * What one side does not take is kept (RELAY_CHUNK at most), and nothing more is read for it until
 * it does. An end is passed on when everything before it has been. Nothing here blocks, whatever
 * the flags of the sockets say: who stands behind one of them may change them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define RELAY_CHUNK (128u << 10)

struct flow {
    char *kept;        /* what the other side has not taken yet, malloc'ed; or NULL */
    size_t begin, end; /* of it */
    int any;           /* something has come */
    int ended;         /* nothing more comes */
    int end_was_told;
};

struct relay {
    int fd[2];           /* borrowed */
    struct flow flow[2]; /* flow[i]: from fd[i] to the other */
};

enum relay_state { RELAY_GOES_ON, RELAY_ENDED, RELAY_BROKEN };

/* What to wait for on fd[SIDE]: EPOLLIN and EPOLLOUT; 0: nothing. */
uint32_t relay_wants(const struct relay *self, int side);
/* Moves what can be moved now, a fair share of it. */
enum relay_state relay_step(struct relay *self, int side);
void relay_clear(struct relay *self);
