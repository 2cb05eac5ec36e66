/*
 * A folder for one build's temporary files. It is removed by the build's keeper; what a keeper that
 * was killed has left, or a crash of the machine, the next build removes.
 */
#pragma once

#include <glib.h>

/* Makes one on a disk ($TMPDIR or /var/tmp: a build's files can be large), and removes those that
 * nobody holds any more. NULL with ERROR. */
char *scratch_make(GError **error);

/* Keeps FOLDER from being removed by others until the descriptor is closed; -1 with errno. */
int scratch_hold(const char *folder);
