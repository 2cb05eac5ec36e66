/*
 * Locales and time zones that a session's environment names and the box does not have.
 *
 * The environment comes from the host, and programs complain about locales that are not installed.
 */
#pragma once

#include <stddef.h>

/*
 * Replaces LANG and LC_ALL by C.UTF-8 where they name a locale that the box does not have, and
 * removes other LC_… variables and TZ where the box does not have their value. Does nothing about
 * locales in a box without /usr/lib/locale (musl).
 * Changes the environment of the calling process, for the command that it becomes.
 */
void locale_drop_missing(void);

/* Longest name of a locale with its NUL, normalised or not. */
#define LOCALE_NAME_MAX 64

/*
 * Writes NAME as glibc files it: "de_DE.UTF-8@euro" as "de_DE.utf8@euro". 0, or -1 when NAME cannot
 * be the name of a locale.
 */
int locale_normalise(const char *name, char out[LOCALE_NAME_MAX]);

/* 1 when DATA (LENGTH bytes, hostile: the box's) is a locale-archive of glibc that contains NAME,
 * which is normalised. */
int locale_archive_has(const char *data, size_t length, const char *name);
