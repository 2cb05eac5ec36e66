/*
 * The client of the session protocol (proto/session.h): `box` on the host, and the sudo shim inside
 * a box. libc only.
 *
 * The other side may be hostile: root of the box could have replaced box-init's socket. The client
 * uses only an exit status, a PID to show, a descriptor that must be a pty, and text for the ask
 * hook.
 */
#pragma once

#include "proto/session.h"
#include "session/client_hooks.h"

/* How a session ended, or why it did not start. */
enum client_outcome {
    CLIENT_EXITED,   /* status holds the exit status */
    CLIENT_DETACHED, /* it continues without us */
    CLIENT_FAILED,   /* failure holds stage and errno */
    CLIENT_LOST,     /* the connection ended during the session */
    CLIENT_REFUSED,  /* the connection ended before box-init read the request: nothing was run */
    CLIENT_ERROR,    /* on our side: failure.error holds errno */
};

struct client_result {
    enum client_outcome outcome;
    int status;
    int reason; /* of CLIENT_EXITED: enum session_reason */
    struct session_failed failure;
    struct session_left left; /* of CLIENT_EXITED */
    unsigned long_copies;     /* texts for the clipboard that were too long to ask about */
};

/*
 * Runs COMMAND over CONNECTION with this process's stdin, stdout and stderr. Relays the terminal,
 * forwards signals and resizes until it ends, and restores the terminal. Sets the size of the
 * terminal in COMMAND. Closes CONNECTION.
 */
void client_run(int connection, struct session_command *command, const struct client_hooks *hooks,
                struct client_result *result);
