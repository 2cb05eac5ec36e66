/* Files of groups with keys, as GTK and KDE write them. */
#pragma once

#include <glib.h>

typedef void (*ini_visit)(const char *group, const char *key, const char *value, void *data);

/*
 * Calls VISIT for each "KEY = VALUE" in the LENGTH bytes of TEXT, blanks around them removed, with
 * the group that it stands in: what is between the first "[" and the last "]" of its line. Left out
 * are comments, lines that are too long, not UTF-8, or hold a NUL.
 */
void ini_each(const char *text, gsize length, ini_visit visit, void *data);
