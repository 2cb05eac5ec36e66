/*
 * What a worker tells its supervisor, and that the program which has started the helper: one byte
 * and a line, through a pipe. libc only.
 */
#pragma once

#include <stdio.h>
#include <unistd.h>

enum helper_answer {
    HELPER_IS_READY = 'r', /* and the line of worker_ready() */
    HELPER_IS_DONE = 'd',  /* and the line of worker_result(); the lock is free again */
    HELPER_IS_HELD = 'h',  /* another supervisor holds the lock */
    HELPER_TIMED_OUT = 't',
    HELPER_FAILED = 'f', /* the log says why */
};

/* Longest answer with its end: less than PIPE_BUF, so that it arrives as one. */
#define HELPER_ANSWER_MAX 512

/* Cut to HELPER_ANSWER_MAX. Nothing happens when FD is negative, or nobody reads any more; SIGPIPE
 * must be ignored. */
static inline void helper_answer_send(int fd, enum helper_answer answer, const char *line)
{
    char text[HELPER_ANSWER_MAX];
    int length = snprintf(text, sizeof text, "%c%s", (char)answer, line);
    if (length >= (int)sizeof text)
        length = (int)sizeof text - 1;
    if (fd >= 0 && write(fd, text, (size_t)length) < 0)
        return;
}
