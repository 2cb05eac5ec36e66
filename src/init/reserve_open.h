/* open(2) for writing or making a file, and truncate(2), on the caller's behalf. */
#pragma once

#include "init/reserve_resolve.h"

/* 0 and a descriptor in *FD, which the caller gets with its own O_CLOEXEC; or an errno. */
int reserve_open(struct reserve_request *request, int *fd);
/* 0, or an errno. */
int reserve_truncate(struct reserve_request *request);

/* What was found is something else by now: look again. */
#define RESERVE_CHANGED (-1)

/* The parts of it: what PLACE names (or RESERVE_CHANGED); a file without a name in FOLDER. */
int reserve_open_place(struct reserve_request *request, const struct reserve_place *place, int *fd);
int reserve_open_unnamed(struct reserve_request *request, int folder, int *fd);
