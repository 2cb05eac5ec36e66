/*
 * What a session left in the project that a tool of the host would execute: hooks of a repository
 * that was made or cloned inside, tasks, rc files, wherever they are (invariant 7). Protected paths
 * cannot change; this finds the same names in other places, and what got past the guard.
 */
#pragma once

#include "box/record.h"
#include "box/registry/registry.h"

/*
 * Names on stderr what of KNOWN's protected names changed anywhere in SELF's project since SINCE
 * (microseconds since 1970). Looks at most a third of a second, upper folders first, through no
 * symlink.
 */
void report_changes(const box *self, const record *known, gint64 since);
