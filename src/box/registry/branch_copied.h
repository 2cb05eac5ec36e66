/*
 * What a branch's copy of a folder has got from the host, where no overlay can be mounted (plan.h,
 * PLAN_DATA_COPIES). A file of the copy that is still the one that was made then is none of the
 * branch's: it is known by its inode and its change time, which no program of a box can set. No box
 * can reach this list.
 *
 * The file: NUL-terminated strings, for each name its path and an entry. It is empty before the
 * first copy.
 */
#pragma once

#include <sys/stat.h>

#include "box/registry/box.h"

typedef struct {
    mode_t mode; /* of the copy; of a folder nothing else counts */
    guint64 inode;
    gint64 size;
    struct timespec changed;
    guint64 host_inode; /* of the file that was copied */
    struct timespec host_changed;
} copied_entry;

typedef struct branch_copied branch_copied;

/* LAYER: an enum plan_layer (plan.h). TRUE when that of SELF, a branch, is a copy, or becomes one
 * at the next start. */
gboolean branch_copied_is(const struct box *self, int layer);
/* The list for LAYER of SELF, empty when there is no copy so far; NULL without ERROR when it is an
 * overlay. */
branch_copied *branch_copied_read(const struct box *self, int layer, GError **error);
branch_copied *branch_copied_new(void);
void branch_copied_free(branch_copied *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(branch_copied, branch_copied_free)
gboolean branch_copied_write(const branch_copied *self, const struct box *of, int layer,
                             GError **error);

/* For PATH, relative to the layer; NULL: the copy has not got it. Belongs to SELF. */
const copied_entry *branch_copied_find(const branch_copied *self, const char *path);
/* Names in the folder PATH ("": the layer) that it has got, in no order, or NULL. Belongs to SELF.
 */
const GPtrArray *branch_copied_names(const branch_copied *self, const char *path);
void branch_copied_add(branch_copied *self, const char *path, const copied_entry *entry);
/* SELF gets what OLD says of PATH, and of all that is in it. */
void branch_copied_carry(branch_copied *self, const branch_copied *old, const char *path);
/* TRUE when the file of ST is still that of ENTRY. A folder always is. */
gboolean copied_entry_is(const copied_entry *entry, const struct stat *st);
/* TRUE when the host's file of HOST is still the one that was copied. */
gboolean copied_entry_is_of(const copied_entry *entry, const struct stat *host);
