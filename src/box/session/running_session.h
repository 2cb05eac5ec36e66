/*
 * A session in a box that runs: all that `box run` does there. It does not parse configuration
 * files, call Podman or load libcurl, and the room has nothing that could: the program that most
 * calls of `box run` need (launcher/main.c) is small because of that.
 */
#pragma once

#include <glib.h>

#include "box/registry/registry.h"
#include "box/registry/runtime_config.h"
#include "session/client.h"

/* What runs in a session, and how. */

typedef struct {
    char **command; /* NULL: the login shell */
    gboolean tty, root, detach;
    gboolean apart_stderr;      /* with tty: a stderr that is no terminal stays apart from it */
    gboolean scan_project;      /* report changes of the project after a short session too */
    gboolean watch_start;       /* with detach: wait until it has a window or ends */
    gboolean quiet;             /* no setup of the home, no display, no messages */
    gboolean unattended;        /* nobody reads messages: none is printed; what changed in the
                                 * project is left for the next session to report */
    gboolean running_only;      /* do not start the box: BOX_ERROR_STATE while it is stopped */
    int wait;                   /* enum session_wait */
    guint64 timeout_ms;         /* 0: none */
    const char *instead;        /* runs when the program of COMMAND does not exist; or NULL */
    const char *not_found_hint; /* shown when the command does not exist; or NULL */
    const char *workdir;        /* NULL: the caller's folder if it is in the project */
    const char *const *env;     /* "K=V", or "K" for the caller's value; or NULL */
    const char *const *flags;   /* configuration flags if the box must be started; or NULL */
    /* Without a terminal: gets standard output and error (FD 1 and 2) in place of ours; or NULL. */
    void (*output)(int fd, const char *bytes, gsize length, void *data);
    void *output_data;
    struct client_result *result; /* gets how it ended; or NULL */
    int *connection;              /* from box_connect(); is set to -1 when it is used; or NULL */
} session_options;

/* TRUE when nobody reads messages about the session. */
static inline gboolean session_is_silent(const session_options *self)
{
    return self->quiet || self->unattended;
}

/*
 * TRUE when stdin and stdout are a terminal that this process may use: a command gets one in the
 * box, as with ssh -t. Not in the background, where a change of the terminal's mode would stop it.
 */
gboolean session_has_terminal(void);

/* Restarts helpers of SELF that have died. CONNECTION leads to its PID 1. */
void running_session_wake_helpers(const struct box *self, int connection);

/* A connection to PID 1 of SELF, which is neither stopped nor paused then. -1, with or without
 * ERROR: nothing is run. */
typedef int (*session_connector)(struct box *self, const session_options *options, GError **error);

/*
 * Runs a session with OPTIONS in SELF, and reports what the box changed in the project
 * (box/inspect/project_changes.h); not what it did on a branch. A box may end between the
 * connection and the request, or not have waited for the setup of its home: then CONNECT is called
 * again. Returns the exit status: the command's, 124 after a timeout, or 126 and 127 as in sh(1).
 * -1 with ERROR when the session could not run; without, when CONNECT has none, or when
 * *IS_MISSING: there is no such program, and OPTIONS have another.
 */
int running_session(struct box *self, const session_options *options, session_connector connect,
                    gboolean *is_missing, GError **error);

/* session_exit.c: what a session's end means to the user. */

/*
 * The exit status of `box` for RESULT of a session that began in FOLDER, hostile like its command;
 * prints why the command could not run. -1 with ERROR where the box is at fault.
 */
int session_exit_status(const session_options *options, const char *folder,
                        const struct client_result *result, GError **error);
