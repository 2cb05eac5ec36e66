/*
 * The worker of a helper: the process that its supervisor (supervise.h) forks, again after a crash.
 *
 * A worker runs a list of stages in order. Each may give up rights that the earlier ones needed;
 * the last one, which reads data from a box, has almost none. libc only.
 */
#pragma once

#include <stdio.h>
#include <unistd.h>

#include "sys/crash.h"

/* What a worker tells its supervisor, and the supervisor tells the program that started the helper:
 * one byte and a line, through a pipe. */
enum helper_answer {
    HELPER_IS_READY = 'r', /* with the line of worker_ready() */
    HELPER_IS_DONE = 'd',  /* with the line of worker_result(); the lock is free again */
    HELPER_IS_HELD = 'h',  /* another supervisor holds the lock */
    HELPER_TIMED_OUT = 't',
    HELPER_FAILED = 'f', /* the log says why */
};

/* Longest answer with its NUL: less than PIPE_BUF (pipe(7)), so that it arrives in one piece. */
#define HELPER_ANSWER_MAX 512

/* Sends ANSWER and LINE, cut to HELPER_ANSWER_MAX. Does nothing when FD is negative or nobody
 * reads. SIGPIPE must be ignored. */
static inline void helper_answer_send(int fd, enum helper_answer answer, const char *line)
{
    char text[HELPER_ANSWER_MAX];
    int length = snprintf(text, sizeof text, "%c%s", (char)answer, line);
    if (length >= (int)sizeof text)
        length = (int)sizeof text - 1;
    if (fd >= 0 && write(fd, text, (size_t)length) < 0)
        return;
}

enum stage_result {
    STAGE_NEXT,   /* go on with the next stage; after the last: done */
    STAGE_DONE,   /* the worker's work is over */
    STAGE_FAILED, /* it failed, and has printed why */
};

struct stage {
    const char *name; /* named in the log when the worker crashes in it */
    enum stage_result (*run)(void *data);
};

/* Memory shared by worker and supervisor. A compromised worker may write anything to it. */
struct worker_page {
    volatile unsigned stage; /* index of the running stage */
    struct crash_record crash;
};

/* Runs STAGES, which end with a row without a name. Returns an exit status. */
int stages_run(const struct stage *stages, void *data);

/*
 * Says that the worker serves: the program that waits for the start gets LINE, which has less than
 * HELPER_ANSWER_MAX bytes and no line break. A second call does nothing, nor does a call in a
 * process without a supervisor.
 */
void worker_ready(const char *line);

/* Says that the worker will end with STAGE_DONE without having served; LINE says why. */
void worker_result(const char *line);

/* Adds LINE, of less than PIPE_BUF bytes (pipe(7)), to the records of a helper that keeps such
 * (supervise.h). They are a log apart, so that nothing a box does pushes messages out of the other
 * one. */
void worker_record(const char *line);

/*
 * A descriptor that outlives workers, of a helper that keeps one (supervise.h), so that what others
 * send to a socket between two workers waits there. worker_kept() returns a new descriptor of what
 * an earlier worker has kept, or -1. worker_keep() keeps FD (-1: nothing new), and is called before
 * anything hostile is read: this worker cannot change it any more.
 */
int worker_kept(void);
int worker_keep(int fd);

/* For supervise.c: called in a worker before its stages. ANSWERS and RECORDS are pipes to the
 * supervisor; RECORDS may be -1. KEPT is a pair of sockets, or both are -1: a descriptor that is
 * kept is in a message that nobody takes out. */
void worker_begin(struct worker_page *page, int answers, int records, const int kept[2]);
/* The name of stage INDEX, which may be any number; "?" when there is none. */
const char *stage_name(const struct stage *stages, unsigned index);
