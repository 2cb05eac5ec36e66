/*
 * Versions of npm packages, and ranges of them: semver.org 2.0.0 and npm's "semver" (7), whose
 * ranges are sets of comparators, "^1.2 || >=2.0.0-rc.1 <3 || 4.x || 5.1 - 6".
 */
#pragma once

#include <glib.h>

/* Longest version, and longest range. */
#define NPM_RANGE_MAX 256

typedef enum {
    NPM_RANGE_HAS,
    NPM_RANGE_LACKS,
    NPM_RANGE_UNKNOWN, /* RANGE is a tag such as "beta", or VERSION none */
} npm_range_answer;

/* Whether RANGE has VERSION, both any text. A version before a release ("2.0.0-rc.1") counts only
 * where a comparator names one before the same release, as npm has it. */
npm_range_answer npm_range_check(const char *range, const char *version);
