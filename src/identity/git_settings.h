/*
 * Which settings of the user's git configuration a box may know: names, and harmless habits. None
 * of them names a program, a file or an address, so none of them can hold a secret.
 */
#pragma once

#include <glib.h>

#include "proto/git_config_parser.h"

/* Bytes of the longest value that a box gets. */
#define GIT_SETTING_MAX 256

/*
 * The value of ENTRY as a box gets it, a new string without control or invisible characters. NULL
 * when the setting is not on the list, or has a value that git does not know. The key of
 * user.signingkey is not looked at; public_key.h does that.
 */
char *git_setting_check(const struct git_config_entry *entry);

/* TRUE for the two settings that choose the key for signatures. */
gboolean git_setting_is_for_signing(const char *section, const char *key);
