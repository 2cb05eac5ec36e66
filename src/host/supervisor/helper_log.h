/*
 * The log of a helper: FOLDER/NAME.log, which its supervisor writes, and `box logs --helpers`
 * reads.
 *
 * A line is "TIME PROGRAM: TEXT", TIME as in RFC 3339 with milliseconds, in UTC. TEXT comes from
 * programs that may be in a box's hand: it is escaped and cut, and the file does not grow beyond
 * HELPER_LOG_MAX. Then it becomes NAME.log.1, in place of an older one. FOLDER is not mounted into
 * a box, and links in it are not followed. libc only.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#define HELPER_LOG_MAX (64 * 1024)
/* Longest text of a line; more becomes another line. */
#define HELPER_LOG_LINE_MAX 1024

struct helper_log {
    int folder; /* the caller's */
    int fd;     /* -1: cannot be written, and lines are lost */
    size_t size;
    const char *name, *program;
    size_t used; /* of TEXT, a line that is not whole yet */
    char text[HELPER_LOG_LINE_MAX];
};

/* Opens NAME.log in FOLDER, to append, for its owner alone; makes it. -1 with errno. */
int helper_log_open(int folder, const char *name);

/* PROGRAM is named in lines that name none of ours themselves. NAME and PROGRAM are kept. */
void helper_log_init(struct helper_log *self, int folder, const char *name, const char *program);

/* Takes over what a program has written to its stderr, in pieces of any length. */
void helper_log_feed(struct helper_log *self, const char *bytes, size_t length);

/* A line of the supervisor itself. */
void helper_log_line(struct helper_log *self, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
