/*
 * One session: a process between PID 1 and the command, so that PID 1 parses nothing.
 *
 * It is a child subreaper: whatever the command leaves behind stays below it until the session
 * ends, so that a timeout or a dead client takes everything with it.
 */
#pragma once

#include "guest/common/options.h"
#include "proto/session.h"

enum session_side {
    SESSION_FROM_HOST, /* over the control socket: may ask for anything */
    SESSION_FROM_SUDO, /* from inside: always root, only as the sudo policy says */
    SESSION_OF_BUS,    /* nobody's: the box's bus (bus.h), whom there is nothing to tell */
};

struct session_context {
    const struct init_options *options;
    int connection; /* to who asks; SESSION_OF_BUS: where the bus listens */
    enum session_side side;
    int peer; /* pid of the asker, inside; SESSION_FROM_SUDO alone */
    /*
     * Where questions for the user of this session arrive (SESSION_FROM_HOST, from sudo sessions by
     * way of PID 1), or where this session sends its own (SESSION_FROM_SUDO); -1: nowhere.
     */
    int questions;
    struct session_info info; /* the answer to a QUERY */
};

/* Exit status of a session that only answered a QUERY, connected to nothing, or was asked for
 * nothing that makes sense: it does not keep the box from idling. */
#define SESSION_ONLY_ASKED 2

/* Runs the session to its end in the calling (forked) process. Returns its exit status. */
int session_serve(const struct session_context *context);
