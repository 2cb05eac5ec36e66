/* open(2) for writing or making a file, and truncate(2), on the caller's behalf. */
#pragma once

#include "init/reserve_request.h"

/* 0 and a descriptor in *FD, which the caller gets with its own O_CLOEXEC; or an errno. */
int reserve_open(struct reserve_request *request, int *fd);
/* 0, or an errno. */
int reserve_truncate(struct reserve_request *request);
