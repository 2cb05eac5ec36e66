/*
 * Whether a git configuration that a box wrote can make git on the host run or write anything: an
 * allow-list of keys, in a strict subset of git-config(1)'s syntax. A pure function over hostile
 * bytes.
 */
#pragma once

#include <stddef.h>

/* Bytes of the largest configuration that is looked at. */
#define GIT_CONFIG_MAX 65536

/*
 * 1 when every entry of the LENGTH bytes at TEXT is harmless, or stands in the same section of the
 * KNOWN_LENGTH bytes at KNOWN, the configuration that TEXT replaces: its entries are the user's, or
 * were judged before.
 */
int git_config_is_harmless(const char *text, size_t length, const char *known, size_t known_length);
