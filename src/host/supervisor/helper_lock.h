/*
 * The lock of a helper: which process serves a box, and for which run of it.
 *
 * The helper's supervisor holds FOLDER/NAME.lock as long as it lives, with open file description
 * locks (fcntl(2), F_OFD_SETLK): the kernel releases them however the supervisor ends, and others
 * can read them without taking them. A lock on byte 0 means that there is a supervisor, on byte 1
 * that its worker serves, on byte 2 that there is no worker at the moment. The file contains "PID
 * RUN": the supervisor's process id and the run of the box. FOLDER is not mounted into a box, so no
 * box can hold the lock. libc only.
 */
#pragma once

#include <sys/types.h>

enum helper_state {
    HELPER_ABSENT,
    HELPER_STARTING, /* or about to end because the start failed */
    HELPER_SERVING,
    HELPER_PAUSED, /* after a crash; SIGUSR1 to the supervisor ends the pause */
};

/* Longest name of a run, with its NUL. */
#define HELPER_RUN_MAX 16

struct helper_holder {
    enum helper_state state;
    pid_t supervisor;         /* 0: unknown; while STARTING perhaps an older one */
    char run[HELPER_RUN_MAX]; /* "" for a helper of no single box */
};

/*
 * Takes the lock of the helper NAME in FOLDER (a descriptor; O_PATH is enough) for RUN: at most
 * HELPER_RUN_MAX - 1 bytes without blanks; "" for a helper of no single box. Returns the descriptor
 * that holds it; no other process may have a copy. -1 with EAGAIN when another process holds it.
 */
int helper_lock_take(int folder, const char *name, const char *run);

/* Shows STATE, which is not HELPER_ABSENT, to others. -1 with errno. */
int helper_lock_set(int lock, enum helper_state state);

/* Finds who holds the lock of NAME in the folder PATH. Four system calls if it serves. */
void helper_lock_read(const char *path, const char *name, struct helper_holder *holder);
