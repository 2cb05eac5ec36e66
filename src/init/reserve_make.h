/* The calls that make, rename or link a name, or let it be run, on the caller's behalf. */
#pragma once

#include "init/reserve_request.h"

/* mkdir, mknod, symlink, link, rename. 0, or an errno. */
int reserve_make(struct reserve_request *request);
/* chmod that makes something executable. 0, or an errno. */
int reserve_chmod(struct reserve_request *request);
