/* What litterbox-files does: one function an operation, which prints its answer and returns, or
 * fails the program. TOP is the project, PATH below it. libc only. */
#pragma once

#include <stddef.h>

/* A number of the command line. */
unsigned long files_number(const char *text);

/* ARGV: first line, lines, most bytes. Prints the file's size, the first line, how many lines there
 * are and whether there is more, then them. */
void files_read(int top, const char *path, char **argv);
/* Replaces PATH by what is on stdin. Prints its size, and whether PATH is new. */
void files_write(int top, const char *path, char **argv);
/* ARGV: "1" to replace each place. Stdin: the old text, NUL, the new text. Prints how many were
 * replaced. */
void files_edit(int top, const char *path, char **argv);
/* ARGV: depth, most entries, pattern or "". Prints records of type, size and path; at last of "",
 * whether there is more, and "". */
void files_list(int top, const char *path, char **argv);
/* ARGV: "regex" or "text", "1" to ignore case, most matches, pattern or "". Stdin: what to find.
 * Prints records of path, line and text; at last of "", whether there is more, and "". */
void files_search(int top, const char *path, char **argv);
