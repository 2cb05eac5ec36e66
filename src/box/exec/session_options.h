/* What runs in a session, and how. */
#pragma once

#include <glib.h>

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
