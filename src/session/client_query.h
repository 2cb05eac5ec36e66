/* Asks box-init how a box is: the QUERY of the session protocol (proto/session.h). libc only. */
#pragma once

#include "proto/session.h"

/* Sends a QUERY. Waits 2 seconds at most. 0, or -1 with errno. */
int client_query(int connection, struct session_info *info);
