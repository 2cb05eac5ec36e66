/*
 * The lock of a helper: who serves a box, and for which run of it.
 *
 * FOLDER/NAME.lock is held by the helper's supervisor, for as long as it lives, with locks of an
 * open file description (fcntl(2), F_OFD_SETLK): they end with their holder however it ends, and
 * others can look at them without taking them. Byte 0 says that there is a supervisor; byte 1 that
 * its worker serves, byte 2 that there is no worker for the moment. The file holds "PID RUN", the
 * supervisor's process id and the run of the box. FOLDER is not mounted into a box, so no box can
 * hold the lock. libc only.
 */
#pragma once

#include <sys/types.h>

enum helper_state {
    HELPER_ABSENT,
    HELPER_STARTING, /* or about to end because it cannot start */
    HELPER_SERVING,
    HELPER_PAUSED, /* behind a crash; SIGUSR1 to the supervisor ends the pause */
};

/* Longest name of a run, with its end. */
#define HELPER_RUN_MAX 16

struct helper_holder {
    enum helper_state state;
    pid_t supervisor;         /* 0: unknown; STARTING: perhaps that of an older one */
    char run[HELPER_RUN_MAX]; /* "" unless it serves one */
};

/*
 * Takes the lock of the helper NAME in FOLDER (a descriptor; O_PATH will do) for RUN: at most
 * HELPER_RUN_MAX - 1 bytes without blanks; "" for a helper of no single box. Returns the descriptor
 * that holds it: no other process may keep a copy. -1 with EAGAIN when somebody else holds it.
 */
int helper_lock_take(int folder, const char *name, const char *run);

/* From now on others see STATE; not HELPER_ABSENT. -1 with errno. */
int helper_lock_set(int lock, enum helper_state state);

/* Who holds the lock of NAME in the folder at PATH. Costs four system calls where one serves. */
void helper_lock_read(const char *path, const char *name, struct helper_holder *holder);
