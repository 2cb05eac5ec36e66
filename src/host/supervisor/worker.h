/*
 * The worker of a helper: what its supervisor (supervise.h) forks, and does again behind a crash.
 *
 * A worker is a list of stages, in order, each of which may give up rights that the earlier ones
 * needed: the last one reads what a box sends, with next to none. libc only.
 */
#pragma once

#include "sys/crash.h"

enum stage_result {
    STAGE_NEXT,   /* go on with the next stage; behind the last: done */
    STAGE_DONE,   /* the worker's work is over */
    STAGE_FAILED, /* it is over because of an error, which has been printed */
};

struct stage {
    const char *name; /* stands in the log when the worker crashes in it */
    enum stage_result (*run)(void *data);
};

/* What a worker tells its supervisor without a system call. It may write anything in here. */
struct worker_page {
    volatile unsigned stage; /* index of the one that runs */
    struct crash_record crash;
};

/* Runs STAGES, which end with a row without a name. An exit status. */
int stages_run(const struct stage *stages, void *data);

/*
 * The worker serves: whoever waits for the start of the helper is told so, with LINE, of less than
 * HELPER_ANSWER_MAX bytes, without a line break. A second call does nothing, nor does one in a
 * process that has no supervisor of ours.
 */
void worker_ready(const char *line);

/* The worker is about to end by STAGE_DONE without having served; LINE says why. */
void worker_result(const char *line);

/* For supervise.c. In a worker, before its stages: PAGE is shared with its supervisor, and ANSWERS
 * leads there (helper_answer.h). */
void worker_begin(struct worker_page *page, int answers);
/* The name of stage INDEX, which may be any number; "?" when there is none. */
const char *stage_name(const struct stage *stages, unsigned index);
