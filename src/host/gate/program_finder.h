/*
 * Finds which program of a box has a socket, for the log: a process that the gate forks before it
 * is confined. It looks at the box's processes in the /proc of the box, which has no others.
 *
 * The gate itself must not see them, and Landlock hides what is outside of a process that it
 * confines: so this one has seccomp alone, starts and writes nothing, and takes a number from the
 * gate. What it finds is a hint. A program can call itself what it likes, pass its sockets on, and
 * be gone before anybody looks. libc only.
 */
#pragma once

#include <stdint.h>

#include "proto/network_record.h"

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
 * for no longer than some milliseconds. */
void program_finder_look(int proc, uint32_t inode, char name[NETWORK_PROGRAM_SIZE]);
/* Makes one word of printable ASCII of the LENGTH bytes of COMM, which a program has chosen. */
void program_name_clean(const char *comm, int length, char name[NETWORK_PROGRAM_SIZE]);
