/* The differences of many files by one diff(1): a program for each took 2 ms. */
#pragma once

#include "box/branch/patch.h"

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
