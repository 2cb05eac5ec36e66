/* Names of one folder of a branch that differ only in case. */
#pragma once

#include <glib.h>

typedef struct branch_twins branch_twins;

/* Of a folder with NAMES, of which GONE are whiteouts; the host's has OF_HOST, or is none. All are
 * sorted. HIDES: the branch has none of the host's names but its own. */
branch_twins *branch_twins_find(const GPtrArray *names, const GPtrArray *gone,
                                const GPtrArray *of_host, gboolean hides);
void branch_twins_free(branch_twins *self);
/* Another name than the new NAME differs only in case. *GOES: one of the host's did, which the
 * branch has removed. */
gboolean branch_twins_has(const branch_twins *self, const char *name, gboolean *goes);
/* SORTED, of text_compare(), has NAME. */
gboolean branch_twins_is_in(const GPtrArray *sorted, const char *name);
