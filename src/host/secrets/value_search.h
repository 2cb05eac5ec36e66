/*
 * Looks for a text in bytes that come in pieces of any size. libc only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct value_search {
    const char *text; /* borrowed */
    size_t length;
    bool folds;         /* letters of both cases are the same */
    uint16_t *fallback; /* malloc'ed: by length of a match, the longest shorter one
                           (Knuth-Morris-Pratt) */
    size_t matched;     /* of TEXT, at the end of what came */
};

/* TEXT has 1 to UINT16_MAX bytes. FOLDS: in letters of either case (ASCII), which takes longer. 0,
 * or -1 without memory. */
int value_search_init(struct value_search *self, const char *text, size_t length, bool folds);
void value_search_clear(struct value_search *self);

/* TRUE when TEXT ends in DATA, or before it in what was fed. */
bool value_search_feed(struct value_search *self, const char *data, size_t size);
/* TRUE when what was fed ends with more than half of TEXT: if the rest follows, it must not have
 * been passed on. */
bool value_search_is_near(const struct value_search *self);
