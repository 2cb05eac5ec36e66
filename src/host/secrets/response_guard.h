/* Looks for secrets in what a server answers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/secrets/request_rewrite.h"

/*
 * Looks for a text in bytes that come in pieces of any size. libc only.
 */

struct value_search {
    const char *text; /* borrowed */
    size_t length;
    bool folds;         /* letters of both cases are the same */
    uint16_t *fallback; /* malloc'ed: by length of a match, the longest shorter one
                           (Knuth-Morris-Pratt) */
    size_t matched;     /* of TEXT, at the end of what came */
    unsigned zeros;     /* bytes of 0 in a row there */
};

/* TEXT has 1 to UINT16_MAX bytes. FOLDS: in letters of either case (ASCII), which takes longer. 0,
 * or -1 without memory. */
int value_search_init(struct value_search *self, const char *text, size_t length, bool folds);
void value_search_clear(struct value_search *self);

/* TRUE when TEXT ends in DATA, or before it in what was fed. A few bytes of 0 between others do not
 * count, so that TEXT is found in UTF-16 and UTF-32, too. */
bool value_search_feed(struct value_search *self, const char *data, size_t size);

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
