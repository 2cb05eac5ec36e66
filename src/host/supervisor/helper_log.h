/*
 * The log of a helper: its supervisor writes FOLDER/NAME.log, and `box logs --helpers` reads it.
 *
 * A line is "TIME PROGRAM: TEXT", with the time in UTC as in RFC 3339, with milliseconds. TEXT is
 * untrusted, as a box may control the program that writes it: it is escaped and cut. A file of
 * HELPER_LOG_MAX bytes, or HELPER_RECORDS_MAX, is rotated to NAME.log.1. FOLDER is not mounted into
 * a box, and symbolic links in it are not followed. Several processes may write to the same log.
 * libc only.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#define HELPER_LOG_MAX (64 * 1024)
#define HELPER_RECORDS_MAX (512 * 1024)
/* Longest text of a line; longer text is split. */
#define HELPER_LOG_LINE_MAX 1536

struct helper_log {
    int folder; /* belongs to the caller */
    int fd;     /* -1: cannot be opened; lines are lost */
    size_t max;
    const char *name, *program;
    /* Is given each line that is fed, as it came; may be NULL. */
    void (*heard)(const char *text, size_t length);
    size_t used; /* bytes of TEXT, an incomplete line */
    char text[HELPER_LOG_LINE_MAX];
};

/* Opens or creates NAME.log (mode 0600) in FOLDER to append. -1 with errno. */
int helper_log_open(int folder, const char *name);

/* PROGRAM is put before lines that do not begin with the name of one of our programs. The caller
 * keeps NAME and PROGRAM. MAX: bytes of a file. */
void helper_log_init(struct helper_log *self, int folder, const char *name, const char *program,
                     size_t max);

/* Adds what a program has written to stderr, in pieces of any length. */
void helper_log_feed(struct helper_log *self, const char *bytes, size_t length);

/* Adds a line of the supervisor. */
void helper_log_line(struct helper_log *self, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
