/* The difference between two texts, for a person to read. */
#pragma once

#include <glib.h>

/*
 * Lines of OLD and NEW as "  same", "- gone", "+ added", with two lines around each change, every
 * line safe to show; at most MAX lines, and the last then says how many are missing. "" when equal.
 * Texts with more changed lines than it compares one by one are shown as all gone and all added.
 */
char *diff_lines(const char *old, const char *new, guint max);
