/* Doing a held call: here, or in the view of a caller that sees another file system. */
#pragma once

#include "guest/guard/request.h"

/*
 * Called with the right to look into processes, which it gives up. 0, with the file in *FD when the
 * call opens one; or the errno that the call gets.
 */
int guard_execute(struct guard_request *request, int *fd);
