/* The calls that change a file's mode or extended attributes, on the caller's behalf. */
#pragma once

#include "guest/guard/request.h"

/* chmod that lets something be run. 0, or an errno. */
int guard_chmod(struct guard_request *request);
/* setxattr(2): a POSIX ACL, which is one (acl(5)), can let a file be run too. 0, or an errno. */
int guard_setxattr(struct guard_request *request);
