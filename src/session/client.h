/*
 * The asking side of a session: `box` on the host, and the sudo shim inside a box. libc only.
 *
 * The other end is hostile (a box's root could stand behind the socket): nothing it sends is used
 * but a status, a pid to show, a descriptor that must be a pty, and text for the ask hook.
 */
#pragma once

#include "proto/session.h"

/* How a session ended, or why it never began. */
enum client_outcome {
    CLIENT_EXITED,   /* status holds the exit status */
    CLIENT_DETACHED, /* it runs on without us */
    CLIENT_FAILED,   /* failure holds stage and errno */
    CLIENT_LOST,     /* the box went away in the middle */
    CLIENT_REFUSED,  /* it went away before it took the request: nothing has been run */
    CLIENT_ERROR,    /* ours: failure.error holds errno */
};

struct client_result {
    enum client_outcome outcome;
    int status;
    int timed_out;
    struct session_failed failure;
};

struct client_hooks {
    /*
     * Asks the user TEXT (LENGTH bytes, hostile) on the terminal, which is in its ordinary mode
     * meanwhile; 1 only for a clear yes. NULL: the answer is no.
     */
    int (*ask)(const char *text, size_t length, void *data);
    void *data;
    /*
     * With SESSION_DETACH: milliseconds for which the command is watched before it is left alone;
     * one that ends within them counts as any other. SETTLED (may be NULL), asked now and then,
     * ends the watch with a 1.
     */
    int settle_ms;
    int (*settled)(void *data);
    /* Milliseconds within which a START must be answered, questions included; 0: the default. */
    int start_timeout_ms;
};

/*
 * Runs COMMAND over CONNECTION with this process's stdin, stdout and stderr, and relays, forwards
 * signals and resizes until it ends. The terminal is as before when this returns. COMMAND's size in
 * rows and columns is filled in here.
 */
void client_run(int connection, struct session_command *command, const struct client_hooks *hooks,
                struct client_result *result);

/* Asks box-init how it is. 0, or -1 with errno. */
int client_query(int connection, struct session_info *info);
