/* open(2) for writing or making a file, and truncate(2), on the caller's behalf. */
#pragma once

#include "guest/guard/lookup.h"

/* 0 and a descriptor in *FD, which the caller gets with its own O_CLOEXEC; or an errno. */
int guard_open(struct guard_request *request, int *fd);
/* 0, or an errno. */
int guard_truncate(struct guard_request *request);

/* What was found is something else by now: look again. */
#define GUARD_CHANGED (-1)

/* The parts of it: what PLACE names (or GUARD_CHANGED); a file without a name in FOLDER. */
int guard_open_place(struct guard_request *request, const struct guard_place *place, int *fd);
int guard_open_unnamed(struct guard_request *request, int folder, int *fd);
