/*
 * A launcher: a process that a worker forks before it gives up its rights, to start programs that
 * need them later. It gets a message of the worker with a descriptor for each, and believes
 * neither: a box may have taken over the worker. It ends with the worker. libc only.
 */
#pragma once

#include <limits.h>
#include <stddef.h>
#include <sys/types.h>

/* The caller keeps it as long as the process lives. */
struct launcher {
    const char *program; /* a file beside ours: "litterbox-desktop-helper" */
    const char *parent;  /* for messages: "litterbox-bridge", */
    const char *noun;    /* and "a desktop helper" */
    size_t message_max;  /* longer messages are cut */
    /* In the launcher: called for each message, to call launcher_spawn() or not. CONNECTION is
     * closed after it. */
    void (*handle)(struct launcher *self, const char *data, size_t length, int connection);
    /* In the launcher: */
    int running; /* programs that have not ended */
    char path[PATH_MAX];
};

/* Forks it. Returns the socket to it, on which the worker sends with descriptors_send() and does
 * not block; -1 with errno. */
int launcher_start(struct launcher *self);
/*
 * Forks a process for something else that needs rights later. It runs CALL with its end of such a
 * socket, and ends then, or with the worker. TITLE, of at most 15 bytes, is its name in a list of
 * processes. Returns the worker's end, or -1 with errno.
 */
int launcher_fork(const char *title, void (*call)(int socket, void *data), void *data);
/* For HANDLE: starts the program with ARGV, whose first word becomes its path, INPUT (-1:
 * /dev/null) as stdin, and OUTPUT as stdout. 0, or -1 with errno. */
int launcher_spawn(struct launcher *self, char **argv, int input, int output);

/* Writes the path of the program NAME in the folder of this one to PATH. 0, or -1 when it does not
 * fit into SIZE. */
int program_beside(const char *name, char *path, size_t size);
