/* Opening in folders of /proc that may be root's or the user's. */
#pragma once

#include "guest/common/init_options.h"

/*
 * Opens NAME in FOLDER (O_PATH, and FLAGS), which may be root's or the user's alone: the folder fd/
 * of a process that is not dumpable is root's, that of another its user's, and no capability of
 * ours helps there. -1 with errno.
 */
int guard_proc_open(const struct init_options *options, int folder, const char *name, int flags);
