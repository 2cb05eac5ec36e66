/* What the client of a session asks its caller, and how long it waits. libc only. */
#pragma once

#include <stddef.h>

#include "session/terminal_sequence.h"

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
    /* For what takes time: called while box-init starts the command. Not for SESSION_DETACH. */
    void (*meanwhile)(void *data);
    /*
     * Returns a descriptor that becomes readable when the host has something to say to the person
     * at the session, or -1. TERMINAL is the number of the pty, -1 without one. Not for
     * SESSION_DETACH. NOTICE_SHOW prints that to OUT; the session's output waits meanwhile.
     */
    int (*notices)(int terminal, void *data);
    void (*notice_show)(int out, void *data);
    /* Milliseconds within which a START must be answered, questions included; 0: the default. */
    int start_timeout_ms;
    /* Gets standard output and standard error (FD 1 and 2) of a session without a pty, in place of
     * those of this process. */
    void (*output)(int fd, const char *bytes, size_t length, void *data);
    /* With SESSION_TTY: a stderr of this process that is no terminal stays apart from the pty. */
    int apart_stderr;
};
