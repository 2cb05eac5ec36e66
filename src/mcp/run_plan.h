/* What a call of the tool run wants, checked. */
#pragma once

#include "mcp/call.h"

/* The command, where it runs, and where what it consists of is kept. */
typedef struct {
    struct box *branch; /* where it runs; NULL: in the server's box */
    char *shell[4];
    char **code;
    GPtrArray *env;
    char *folder;
    const char *input;
    session_options options;
} run_plan;

void run_plan_clear(run_plan *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(run_plan, run_plan_clear)

/* Sets SELF, zero at first, by the arguments of CALL. FALSE: the call has failed. */
gboolean run_plan_make(run_plan *self, struct call *call, gboolean background);
/* The box in which the command runs. */
struct box *run_plan_box(const run_plan *self, const struct call *call);
/* Milliseconds that it may take; 0: any. */
guint64 run_plan_timeout(const struct call *call, gboolean background);
