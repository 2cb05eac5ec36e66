/* A tools/call request from its beginning to its answer. */
#pragma once

#include "box/exec/output_pieces.h"
#include "mcp/box_process.h"
#include "mcp/tool.h"

/* Most calls at a time, and most commands in the background. */
#define CALLS_MAX 16
#define BACKGROUND_MAX 16

/* What the tools of one server share. */
struct tool_host {
    struct box *box;
    void (*send)(json_t *message); /* takes it */
    GPtrArray *calls;              /* of struct call */
    GPtrArray *background;         /* of struct background (mcp/tool_run.c) */
};

struct call {
    struct tool_host *host;
    const tool *tool;
    json_t *id, *arguments;
    json_t *token; /* of progress; NULL: none is wanted */
    gboolean modern;
    /* For the tool: */
    struct box_process process;
    output_pieces *pieces; /* what the process prints; */
    GString *text[2];      /* or that, of 1 and 2, while it is short */
    gsize text_max;
    void (*finish)(struct call *self);  /* the process has ended: answer */
    void (*dropped)(struct call *self); /* it is not to be answered any more; or NULL */
    void *data;
    GDestroyNotify data_free; /* of DATA, when the call is freed; or NULL */
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

/* Runs a session in the box with OPTIONS; FINISH is called at its end. Fails the call when it
 * cannot start. */
void call_run(struct call *self, const session_options *options, const char *input, gsize length,
              void (*finish)(struct call *self));

/* Answers with STRUCTURED (taken over), and its text; frees the call. */
void call_answer(struct call *self, json_t *structured, gboolean is_error);
/* Answers that it failed, with words for the model; frees the call. */
void call_fail(struct call *self, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The result of a tool, as both generations of the protocol have it; takes STRUCTURED (NULL: none).
 */
json_t *call_result(gboolean modern, json_t *structured, const char *text, gboolean is_error);
