/* Running a command or a shell in a box. */
#pragma once

#include "box/registry/registry.h"
#include "box/registry/runtime_config.h"

typedef struct {
    char **command; /* NULL: the login shell */
    gboolean tty, root, detach;
    gboolean apart_stderr;      /* with tty: a stderr that is no terminal stays apart from it */
    gboolean scan_project;      /* report changes of the project after a short session too */
    gboolean watch_start;       /* with detach: wait until it has a window or ends */
    gboolean quiet;             /* no setup of the home, no display, no messages */
    gboolean running_only;      /* do not start the box: BOX_ERROR_STATE while it is stopped */
    int wait;                   /* enum session_wait */
    guint64 timeout_ms;         /* 0: none */
    const char *not_found_hint; /* shown when the command does not exist; or NULL */
    const char *workdir;        /* NULL: the caller's folder if it is in the project */
    const char *const *env;     /* "K=V", or "K" for the caller's value; or NULL */
    const char *const *flags;   /* configuration flags if the box must be started; or NULL */
    int *connection;            /* from box_connect(); is set to -1 when it is used; or NULL */
} session_options;

/*
 * TRUE when stdin and stdout are a terminal that this process may use: a command gets one in the
 * box, as with ssh -t. Not in the background, where a change of the terminal's mode would stop it.
 */
gboolean session_has_terminal(void);

/*
 * Starts SELF if it is not running, runs a session with OPTIONS in it, reports what the box changed
 * in the project (box/inspect/project_changes.h), and returns the exit status:
 * the command's, 124 after a timeout, or 126 and 127 as in sh(1). -1 with ERROR when the session
 * could not run.
 *
 * This is the hot path of `box run`: for a running box it does not parse configuration files, call
 * Podman or load libcurl.
 */
int box_run_session(struct box *self, const session_options *options, GError **error);

/* Bytes of output that are enough for a few names. */
#define CAPTURE_MAX 65536

/*
 * capture.c: runs COMMAND in SELF, which must be running, without terminal and input, and returns
 * its output: hostile bytes with a NUL after them; their number is in *LENGTH (may be NULL). NULL
 * with ERROR when it could not run, failed, took more than 30 seconds, or printed MAX bytes or
 * more.
 */
char *box_capture_output(struct box *self, const char *const *command, gsize max, gsize *length,
                         GError **error);
