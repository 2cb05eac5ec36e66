/* Running a command or a shell in a box, for `run` and `enter`. */
#pragma once

#include "box/registry/registry.h"

typedef struct {
    char **command; /* NULL: the login shell */
    gboolean tty, root, detach;
    gboolean report;          /* afterwards, name changes that tools of the host would run */
    gboolean settle;          /* with detach: watched until it has a window, or fails at once */
    gboolean quiet;           /* a command of ours: no setup of the home, no display, no word */
    int wait;                 /* enum session_wait */
    guint64 timeout_ms;       /* 0: none */
    const char *missing;      /* a hint for when the command is not there; or NULL */
    const char *workdir;      /* NULL: the caller's folder when it is in the project */
    const char *const *env;   /* "K=V" or "K" (taken from our own environment); or NULL */
    const char *const *flags; /* configuration flags for a box that has to be started; or NULL */
    int *connection;          /* of lifecycle_connect(), which is taken over (-1); or NULL */
} session_wish;

/*
 * Starts SELF when it does not run, runs WISH in it, and returns the exit status: the command's
 * own, 124 after a timeout, 126 and 127 as a shell has them. -1 with ERROR when it could not be
 * run.
 */
int sessions_run(box *self, const session_wish *wish, GError **error);
