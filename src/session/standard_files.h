/*
 * The standard files of a session: a pty in their place, or a copy or pipe of each; with the
 * screens that filter what reaches the user's terminal. libc only.
 */
#pragma once

#include <poll.h>

#include "proto/session.h"
#include "session/client_hooks.h"
#include "session/copy_question.h"
#include "session/pty_relay.h"
#include "session/stdio_copy.h"
#include "session/terminal_rescue.h"

/* Of stdout and stderr. */
#define STANDARD_FILES_SCREENS 2
/* What standard_files_poll() fills. */
#define STANDARD_FILES_POLLS 5

struct standard_files {
    int tty;                     /* the session has a pty */
    struct pty_relay terminal;   /* with a pty */
    struct stdio_copy copies[3]; /* without: of stdin, stdout and stderr; with: of stderr */
    struct screen *screens;      /* where stdout and stderr are terminals; the first with a pty */
    int n_screens;
    unsigned policy; /* what output may do to them, TERMINAL_… */
    struct terminal_rescue rescue;
    struct copy_question question;
};

/*
 * Fills GIVE with the descriptors that the box gets, and START with the terminal's size. HOOKS may
 * be NULL. 0, or -1 with errno; call standard_files_end() in both cases.
 */
int standard_files_prepare(struct standard_files *self, struct session_start *start,
                           const struct client_hooks *hooks, int give[3]);
/* Has the terminals put at rest when this process is killed. */
void standard_files_guard(struct standard_files *self);
/* Takes FD, which the box has sent: its pty, if there is to be one. 0, or -1 with errno. */
int standard_files_take(struct standard_files *self, int fd);
/* Starts the pty's relay. The caller has blocked the signals that it handles. 0, or -1 with errno.
 */
int standard_files_begin(struct standard_files *self);

/* What to wait for before the next step, and that step: -1 when the user's terminal is gone. */
void standard_files_poll(const struct standard_files *self, struct pollfd *polls);
int standard_files_step(struct standard_files *self, const struct pollfd *polls);

/* Holds the output and does HOW (may be NULL) to each screen, before the host uses the terminal;
 * goes on. */
void standard_files_pause(struct standard_files *self, void (*how)(struct screen *));
void standard_files_resume(struct standard_files *self);

/* What a pty of the box is called there; -1 without one. */
int standard_files_pty_number(const struct standard_files *self);
/* Where the host prints to the person at the session. */
int standard_files_notice_fd(const struct standard_files *self);

/*
 * Shows what was written before the session's end, without waiting for background processes, and
 * restores the terminal. Returns how many texts for the clipboard were too long to ask about.
 */
unsigned standard_files_end(struct standard_files *self);
