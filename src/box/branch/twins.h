/* Names of one folder of a branch that differ only in case. */
#pragma once

#include <glib.h>

typedef struct branch_twins branch_twins;

/* Of the open folder UPPER, with NAMES in it, sorted; only DEVICES of them, sorted, may be
 * whiteouts; the host's has OF_HOST, sorted, or is none. HIDES: the branch has none of the host's
 * names but its own. */
branch_twins *branch_twins_find(int upper, const GPtrArray *names, const GPtrArray *devices,
                                const GPtrArray *of_host, gboolean hides);
void branch_twins_free(branch_twins *self);
/* Another name than the new NAME differs only in case. *GOES: one of the host's did, which the
 * branch has removed. */
gboolean branch_twins_has(const branch_twins *self, const char *name, gboolean *goes);
/* SORTED, of text_compare(), has NAME. */
gboolean branch_twins_is_in(const GPtrArray *sorted, const char *name);
