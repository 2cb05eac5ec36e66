/*
 * The hunks of a difference of two texts in the unified format (diffutils, "Detailed Description of
 * Unified Format"), and a text with some of them. Every line that the difference shows is compared
 * with both texts: nothing else than what it shows is in the result.
 */
#pragma once

#include <glib.h>

typedef struct {
    const char *data;
    gsize length;
} hunk_text;

typedef struct {
    hunk_text shown; /* its part of the difference */
    /* What it replaces, in bytes of the old text, and by what of the new one. */
    gsize from, from_end, to, to_end;
    gboolean is_chosen;
} hunk;

/* Of hunk, in order; none for a DIFFERENCE without lines. NULL: it is not that of OLD and NEW. */
GArray *hunks_parse(hunk_text difference, hunk_text old, hunk_text new);
/* OLD with the hunks that are chosen. */
GString *hunks_apply(const GArray *hunks, hunk_text old, hunk_text new);
