/* The calls that make, rename or link a name, on the caller's behalf. */
#pragma once

#include "guest/guard/request.h"

/* mkdir, mknod, symlink, link, rename. 0, or an errno. */
int guard_make(struct guard_request *request);
