/* A tools/call request from its beginning to its answer. */
#pragma once

#include "box/exec/output_pieces.h"
#include "box/exec/sessions.h"
#include "mcp/tool.h"
#include "net/event_loop.h"

/* box_process.c: a session in the box of this server, or a command of `box`, by a child process
 * (box/exec/sessions.h), so that neither a box that has to be started nor one that lies can
 * hold up the event loop. */

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
    gint64 began;    /* microseconds since 1970 */
    /* Of the module: */
    pid_t pid; /* 0: none */
    int report;
    struct event_watch end, streams[2];
    struct event_timer limit;
    gint64 started;
    gboolean is_program, is_late;
};

/*
 * Runs a session with OPTIONS in IN_BOX; INPUT (may be NULL) is its standard input, LENGTH bytes.
 * When its end is not told LIMIT_MS after OPTIONS' own time limit, the child is killed, and
 * "message" says so. FALSE with ERROR; ENDED is not called then.
 */
gboolean box_process_start(struct box_process *self, struct box *in_box,
                           const session_options *options, const char *input, gsize length,
                           GError **error);
/*
 * Runs the program ARGV, without input, for LIMIT_MS at most. What it has SAID is its exit status;
 * -1 when a signal has ended it, with "message". FALSE with ERROR; ENDED is not called then.
 */
gboolean box_process_start_program(struct box_process *self, char *const *argv, guint64 limit_ms,
                                   GError **error);
/* Asks the command to end (SIGTERM), and ends all that it has started a moment later. */
void box_process_stop(struct box_process *self);
/* Ends it at once; ENDED is not called. Does nothing when none runs. */
void box_process_abort(struct box_process *self);

/* Most calls at a time, and most commands in the background. */
#define CALLS_MAX 16
#define BACKGROUND_MAX 16

/* What the tools of one server share. */
struct tool_host {
    struct box *box;
    /* Takes it. FALSE: there is no room, as the client does not read. */
    gboolean (*send)(json_t *message);
    GPtrArray *calls;      /* of struct call */
    GPtrArray *background; /* of struct background (mcp/tool_run.c) */
    GArray *branches;      /* locks of those that it works in (mcp/own_branches.c) */
    guint snapshots;       /* that were made for the client */
};

struct call {
    struct tool_host *host;
    const tool *tool;
    json_t *id, *arguments;
    json_t *token; /* of progress; NULL: none is wanted */
    gboolean modern;
    /* For the tool: */
    struct box_process process;
    output_pieces *pieces;              /* what the process prints; */
    GString *text[2];                   /* or that, of 1 and 2, while it is short: */
    gsize text_max;                     /* bytes of 1 */
    void (*finish)(struct call *self);  /* the process has ended: answer */
    void (*dropped)(struct call *self); /* it is not to be answered any more; or NULL */
    void *data;
    GDestroyNotify data_free; /* of DATA, when the call is freed; or NULL */
    struct event_timer later;
    /* Of the module: */
    struct event_timer progress;
    gint64 started;
};

/* Starts a call of SELF with ARGUMENTS, and answers it when it is done. All are borrowed. */
void call_start(struct tool_host *host, const tool *self, json_t *id, json_t *arguments,
                json_t *token, gboolean modern);
/* Ends the call with ID without an answer. An unknown ID is ignored. */
void call_cancel(struct tool_host *host, json_t *id);
/* TRUE while a call has ID. */
gboolean call_is_open(const struct tool_host *host, json_t *id);
/* Ends all calls. */
void calls_clear(struct tool_host *host);

/* Runs a session with OPTIONS in IN_BOX, the server's or a branch of it; FINISH is called at its
 * end. Fails the call when it cannot start. */
void call_run(struct call *self, struct box *in_box, const session_options *options,
              const char *input, gsize length, void (*finish)(struct call *self));
/* The same with the program ARGV of this machine (box_process_start_program). */
void call_run_program(struct call *self, char *const *argv, guint64 limit_ms,
                      void (*finish)(struct call *self));

/* Answers with STRUCTURED (taken over), and its text; frees the call. */
void call_answer(struct call *self, json_t *structured, gboolean is_error);
/* Answers that it failed, with words for the model; frees the call. */
void call_fail(struct call *self, const char *format, ...) G_GNUC_PRINTF(2, 3);
