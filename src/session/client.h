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
#include "session/terminal_sequence.h"

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
    unsigned long_copies; /* texts for the clipboard that were too long to ask about */
};

struct client_hooks {
    /*
     * Asks the user TEXT (LENGTH bytes, hostile) on the terminal, which is not in raw mode then.
     * Returns 1 for a clear yes only. NULL: the answer is no.
     */
    int (*ask)(const char *text, size_t length, void *data);
    void *data;
    /*
     * With SESSION_DETACH: milliseconds to wait for an early end of the command, which is then
     * reported as usual. SETTLED (may be NULL) is called repeatedly; 1 ends the wait.
     */
    int settle_ms;
    int (*settled)(void *data);
    /* What the output may do to a terminal, TERMINAL_… (terminal_sequence.h). 0: no more than text
     * and colours. */
    unsigned terminal;
    /*
     * With TERMINAL_ASK_CLIPBOARD: begins to ask the user whether the clipboard may get TEXT
     * (LENGTH bytes of base64, hostile). Returns a descriptor that becomes readable with the answer
     * and withdraws the question when it is closed; -1: the answer is no. It should not wait: the
     * session's input does. COPY_ANSWER reads the answer and closes the descriptor; 1: yes.
     */
    int (*copy_ask)(const char *text, size_t length, void *data);
    int (*copy_answer)(int fd, void *data);
    /* Milliseconds within which a START must be answered, questions included; 0: the default. */
    int start_timeout_ms;
};

/*
 * Runs COMMAND over CONNECTION with this process's stdin, stdout and stderr. Relays the terminal,
 * forwards signals and resizes until it ends, and restores the terminal. Sets the size of the
 * terminal in COMMAND. Closes CONNECTION.
 */
void client_run(int connection, struct session_command *command, const struct client_hooks *hooks,
                struct client_result *result);

/* Sends a QUERY. Waits 2 seconds at most. 0, or -1 with errno. */
int client_query(int connection, struct session_info *info);
