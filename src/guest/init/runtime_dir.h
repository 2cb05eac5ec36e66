/* $XDG_RUNTIME_DIR of the sessions' user: what the XDG Base Directory Specification wants of it. */
#pragma once

#include "guest/common/options.h"

/* Made by the plan: a tmpfs that belongs to root of the box. */
#define RUNTIME_DIR_PARENT "/run/user"

/* Makes the folder of the user's own in it, mode 0700. 0, or -1 with errno. */
int runtime_dir_make(const struct init_options *options);
/* Its path, in a buffer of ours. */
const char *runtime_dir_path(const struct init_options *options);
