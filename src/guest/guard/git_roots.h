/* The shared folders in which git's names count, by what they are: for folders whose path nobody
 * can tell, or means nothing. */
#pragma once

#include "guest/common/init_options.h"

/* Once, when the guard starts. */
void git_roots_begin(const struct init_options *options);
/* 1 when FOLDER lies in one of them, or nobody can tell. */
int git_roots_hold(int folder);
/* The same of FOLDER in a view of the caller's own, where a mount may lead there: what lies on the
 * same device, or on another subvolume of btrfs, counts as well. */
int git_roots_may_hold(int folder);
