/* A session in the box of this server, by a child process (box/exec/session_child.h), so that
 * neither a box that has to be started nor one that lies can hold up the event loop. */
#pragma once

#include "box/exec/session_child.h"
#include "net/event_loop.h"

/* The owner sets OUTPUT, ENDED and OWNER; the rest is 0 at first. */
struct box_process {
    /* FD (1 or 2) has got BYTES. */
    void (*output)(struct box_process *self, int fd, const char *bytes, gsize length);
    /* Nothing more comes; the process is cleared, and may be freed. */
    void (*ended)(struct box_process *self);
    void *owner;
    /* Of ENDED: */
    struct session_child_report said;
    double duration; /* seconds */
    /* Of the module: */
    pid_t pid; /* 0: none */
    int report;
    struct event_watch end, streams[2];
    struct event_timer limit;
    gint64 started;
};

/*
 * Runs a session with OPTIONS in IN_BOX; INPUT (may be NULL) is its standard input, LENGTH bytes.
 * When its end is not told LIMIT_MS after OPTIONS' own time limit, the child is killed, and
 * "message" says so. FALSE with ERROR; ENDED is not called then.
 */
gboolean box_process_start(struct box_process *self, struct box *in_box,
                           const session_options *options, const char *input, gsize length,
                           GError **error);
/* Asks the command to end (SIGTERM), and ends all that it has started a moment later. */
void box_process_stop(struct box_process *self);
/* Ends it at once; ENDED is not called. Does nothing when none runs. */
void box_process_abort(struct box_process *self);
