/* Differences of files for people, by the host's diff(1). */
#pragma once

#include <glib.h>

/* Bytes of a file, which is read into memory. */
#define PATCH_FILE_MAX (16 << 20)
/* Bytes of one file's difference that are shown. No line is cut: what it has in the middle would be
 * taken unseen. */
#define PATCH_MAX (1 << 20)

/* patch.c: the difference of two files. */

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

/* For patch_batch.c. */
/* TRUE for what is no file by now, too. */
gboolean branch_patch_is_too_large(int fd);
/* The path of diff, a new string; NULL with ERROR. */
char *branch_patch_program(GError **error);

/* patch_batch.c: the differences of many files by one diff(1): a program for each took 2 ms. */

/* Both files of each are open at once, here and in diff. */
#define PATCH_BATCH_MAX 100

typedef struct patch_batch patch_batch;
/* None; free with patch_batch_free(), which closes all files. */
patch_batch *patch_batch_new(void);
void patch_batch_free(patch_batch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(patch_batch, patch_batch_free)

/* Adds the files BEFORE and AFTER (-1: there is none), and owns them. */
void patch_batch_add(patch_batch *self, int before, int after);
/* After the last one: starts diff. FALSE with ERROR. */
gboolean patch_batch_start(patch_batch *self, GError **error);

/* As branch_patch_print() and branch_patch_count() with the next pair. */
gboolean patch_batch_print_next(patch_batch *self, const char *path, GError **error);
gboolean patch_batch_count_next(patch_batch *self, branch_patch_lines *lines, GError **error);
/* After the last one. FALSE with ERROR when diff did not come to its end. */
gboolean patch_batch_end(patch_batch *self, GError **error);
