/*
 * Whether a git configuration that a box wrote can make git on the host run or write anything: its
 * difference to the one that it replaces is looked at, by an allow-list of keys and values. A pure
 * function over hostile bytes.
 */
#pragma once

#include <stddef.h>

#include "proto/git_config_parser.h"

/* For "section.key". */
#define GIT_CONFIG_KEY_ROOM 128

/*
 * 1 when the LENGTH bytes at TEXT differ from the KNOWN_LENGTH bytes at KNOWN, which they replace,
 * in harmless entries alone: all others are the same, in the same order. Else 0, with the first
 * entry that differs in KEY, its bytes as the box wrote them; "" where a line is malformed.
 */
int git_config_is_harmless(const char *text, size_t length, const char *known, size_t known_length,
                           char key[GIT_CONFIG_KEY_ROOM]);

/*
 * Removes the lines from the *LENGTH bytes at TEXT by which git tells a submodule's repository
 * where its work tree is, as far as git itself writes them: "worktree = ../../x". Git takes the
 * folder that has the submodule's ".git" file where they are missing. That is the safe choice, as
 * git on the host would write to wherever a link leads that a box has put in the way.
 */
void git_config_drop_worktree(char *text, size_t *length);
