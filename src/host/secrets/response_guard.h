/* Looks for secrets in what a server answers. */
#pragma once

#include "host/secrets/request_rewrite.h"
#include "host/secrets/value_search.h"

typedef struct {
    struct value_search *searches; /* for each secret of the box; for the coded one */
    guint count;
    secret *coded; /* or NULL */
} response_guard;

/* MARKS: other texts that an answer must not have, NULL-terminated, or NULL. FALSE without memory,
 * here and below. */
gboolean response_guard_init(response_guard *self, const GPtrArray *secrets,
                             const char *const *marks);
void response_guard_clear(response_guard *self);
/* The request that is answered next had a secret coded as CODED; NULL: as it is. */
gboolean response_guard_expect(response_guard *self, const secret *coded);
/* TRUE when a secret ends in DATA. */
gboolean response_guard_finds(response_guard *self, const char *data, gsize size);
/* TRUE while more than half of one has come: the last bytes must wait. */
gboolean response_guard_holds(const response_guard *self);
/* What comes next has nothing to do with what came. */
void response_guard_restart(response_guard *self);
