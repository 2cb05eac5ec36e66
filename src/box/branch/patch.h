/* The difference of two files for people, by the host's diff(1). One alone is written alike. */
#pragma once

#include <glib.h>

/* Bytes of a file, which is read into memory. */
#define PATCH_FILE_MAX (16 << 20)
/* Bytes of one file's difference that are shown. No line is cut: what it has in the middle would be
 * taken unseen. */
#define PATCH_MAX (1 << 20)

/*
 * Prints how the open file AFTER (-1: there is none) differs from BEFORE (likewise, but not both),
 * both called PATH, to standard output; all of it made safe. FALSE with ERROR when diff cannot run.
 */
gboolean branch_patch_print(int before, int after, const char *path, GError **error);

/* The same, as diff writes it: not safe to show. *IS_CUT: there is more, or both are too large.
 * NULL with ERROR. */
GString *branch_patch_read(int before, int after, const char *path, gboolean *is_cut,
                           GError **error);
/* Prints that, made safe. */
void branch_patch_print_part(const GString *text, gboolean is_cut);
/* Prints a part of it, made safe. */
void branch_patch_print_text(const char *text, gsize length);

typedef struct {
    guint64 added, removed; /* lines */
    gboolean is_binary;     /* or too large: lines were not counted */
} branch_patch_lines;
/* Counts what branch_patch_print() would print. FALSE with ERROR when diff cannot run. */
gboolean branch_patch_count(int before, int after, branch_patch_lines *lines, GError **error);

/* For patch_batch.h: */

/* TRUE for what is no file by now, too. */
gboolean branch_patch_is_too_large(int fd);
/* The path of diff, a new string; NULL with ERROR. */
char *branch_patch_program(GError **error);
