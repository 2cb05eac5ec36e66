/* What litterbox-files does: one function an operation, which prints its answer and returns, or
 * fails the program. TOP is the project, PATH below it. libc only. */
#pragma once

#include <limits.h>
#include <stddef.h>
#include <sys/types.h>

/* A number of the command line. */
unsigned long files_number(const char *text);

/* ARGV: first line, lines, most bytes. Prints the file's size, the first line, how many lines there
 * are and whether there is more, then them. */
void files_read(int top, const char *path, char **argv);
/* ARGV: bytes that are on stdin. Replaces PATH by them. Prints the size, and whether PATH is new.
 */
void files_write(int top, const char *path, char **argv);
/* ARGV: "1" to replace each place, bytes on stdin: the old text, NUL, the new text. Prints how many
 * were replaced. */
void files_edit(int top, const char *path, char **argv);
/* ARGV: depth, most entries, pattern or "". Prints records of type, size and path; at last of "",
 * whether there is more, and "". */
void files_list(int top, const char *path, char **argv);
/* ARGV: "regex" or "text", "1" to ignore case, most matches, pattern or "". Stdin: what to find.
 * Prints records of path, line and text; at last of "", whether there is more, and "". */
void files_search(int top, const char *path, char **argv);

/*
 * place.c: a path below the project, with the links that are on the way while they stay below it.
 * libc only.
 *
 * Not by openat2(2), which a session has not. Another process of the box could put a link where one
 * was looked for before, and have its own file read or written: it can do that, and lie about it,
 * in any case.
 */

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
