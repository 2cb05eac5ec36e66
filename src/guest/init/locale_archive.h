/* glibc's archive of locales: which names it has. The bytes are the box's. */
#pragma once

#include <stddef.h>

#define LOCALE_NAME_MAX 64

/*
 * Writes NAME as glibc files it: "de_DE.UTF-8@euro" as "de_DE.utf8@euro". 0, or -1 for what is no
 * name of a locale.
 */
int locale_normalise(const char *name, char out[LOCALE_NAME_MAX]);

/* TRUE when the LENGTH bytes of DATA are an archive that has the normalised NAME. */
int locale_archive_has(const char *data, size_t length, const char *name);
