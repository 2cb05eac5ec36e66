/*
 * Puts a git configuration that a box wrote in the place of the present one, when it is harmless
 * (guest/guard/git_config.h).
 */
#pragma once

#include <sys/types.h>

#include "guest/guard/lookup.h"

/*
 * Writes what FD holds to MADE, as a file of MODE: a copy, as the box may still have its own open.
 * FLAGS: of renameat2(2). 0, also where nothing differs, or an errno: EROFS when it differs from
 * what is there in a setting that a box may not change, of which REQUEST's process is told.
 */
int guard_git_config_write(const struct guard_request *request, int fd, mode_t mode,
                           const struct guard_place *made, unsigned flags);
