/* A connection to a server in the box, made inside and handed to the host (CONNECT). */
#pragma once

#include <stddef.h>

#include "guest/common/options.h"

/*
 * Answers the CONNECT whose body is BODY over CLIENT, in the calling (forked) process, whose socket
 * is the user's from then on. Waits a few seconds at most. Returns the exit status of that process.
 */
int dial_serve(const struct init_options *options, int client, const char *body, size_t length);
