/*
 * What a hostile program would try, one attack a name: `attack NAME [ARGUMENT…]`.
 *
 * Static, so that it runs in any box. Every attack ends in one of three ways, and says so on
 * stdout: status 0, "SUCCEEDED …": it got what it wanted; status 1, "refused: NAME-OF-ERRNO …": the
 * kernel or the box said no; status 2, "broken …": the attack itself does not work here, which
 * proves nothing.
 */
#pragma once

#include <errno.h>
#include <stdint.h>

enum outcome { SUCCEEDED, REFUSED, BROKEN };

/* Each prints one line and returns the outcome, for `return` in main's sense. */
int succeeded(const char *format, ...) __attribute__((format(printf, 1, 2)));
int refused(int error, const char *what);
int broken(const char *what);

/* The result of system call NUMBER of the 32-bit ABI, made in a child; -ENOSYS where there is none.
 */
long call_by_compat(long number, long first, long second, long third);

struct attack {
    const char *name;
    int arguments; /* at least so many */
    int (*run)(char **arguments);
};

/* One table a file, each ended by an empty row. */
extern const struct attack calls_attacks[];   /* system calls, through every ABI */
extern const struct attack process_attacks[]; /* other processes: signals, memory, descriptors */
extern const struct attack file_attacks[];    /* paths, mounts, devices */
extern const struct attack socket_attacks[];  /* the control socket and the sudo socket */
extern const struct attack terminal_attacks[];
