/*
 * A path below the project, with the links that are on the way while they stay below it. libc only.
 *
 * Not by openat2(2), which a session has not. Another process of the box could put a link where one
 * was looked for before, and have its own file read or written: it can do that, and lie about it,
 * in any case.
 */
#pragma once

#include <limits.h>
#include <stddef.h>
#include <sys/types.h>

/* Ends the program, and tells litterbox's server why: ERROR (0: none) and words for the model. */
_Noreturn void fail(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same with the errno, in words. */
_Noreturn void fail_errno(int error);

/* Opens the project's folder. Fails the program. */
int place_project(const char *project);
/* PATH below the folder TOP without links, "." and "..", in REAL: "." for TOP itself. What does not
 * exist is left as it is. Fails the program when it leads out, or when links lead to each other. */
void place_resolve(int top, const char *path, char real[PATH_MAX]);
/* Opens what PATH leads to. -1 with errno. */
int place_open(int top, const char *path, int flags);
/* Makes the folders above REAL that are missing. 0, or -1 with errno. */
int place_make_parents(int top, const char *real);

/* Reads FD to its end, at most MOST bytes. malloc'ed, with a NUL behind it; fails the program. */
char *read_all(int fd, size_t most, size_t *length);
/* Writes a field and its NUL to stdout. */
void put_text(const char *text);
void put_number(unsigned long long number);
