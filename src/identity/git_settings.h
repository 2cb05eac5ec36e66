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
 * user.signingkey is not looked at; host_keys.h does that.
 */
char *git_setting_check(const struct git_config_entry *entry);

/* TRUE for the two settings that choose the key for signatures. */
gboolean git_setting_is_for_signing(const char *section, const char *key);

/* git_condition.c: the conditions of [includeIf "CONDITION"] that depend on where a repository
 * lies. */

/*
 * TRUE when CONDITION is "gitdir:PATTERN" or "gitdir/i:PATTERN" and matches GIT_FOLDER, as
 * git-config(1), CONDITIONAL INCLUDES, says. HOME replaces "~", CONFIG_FOLDER the "." of a pattern:
 * the folder of the file that has the condition. All are real paths. FALSE for other conditions:
 * they would ask for the contents of the repository, which a box can change.
 */
gboolean git_condition_matches(const char *condition, const char *git_folder, const char *home,
                               const char *config_folder);
