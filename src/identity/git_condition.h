/* The conditions of [includeIf "CONDITION"] that depend on where a repository lies. */
#pragma once

#include <glib.h>

/*
 * TRUE when CONDITION is "gitdir:PATTERN" or "gitdir/i:PATTERN" and matches GIT_FOLDER, as
 * git-config(1), CONDITIONAL INCLUDES, says. HOME replaces "~", CONFIG_FOLDER the "." of a pattern:
 * the folder of the file that has the condition. All are real paths. FALSE for other conditions:
 * they would ask for the contents of the repository, which a box can change.
 */
gboolean git_condition_matches(const char *condition, const char *git_folder, const char *home,
                               const char *config_folder);
