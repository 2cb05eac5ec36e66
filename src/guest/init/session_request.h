/* What a session is asked for, and whether it may. */
#pragma once

#include "guest/init/session.h"

/*
 * Reads the request for a command from CONTEXT's client into REQUEST, which then points into *BODY,
 * malloc'ed, and the descriptors that came with it into RECEIVED. 0; -1 when nothing is to be run,
 * and who asked has been told why. The bus is always asked for the same. What takes no command is
 * answered here, and ends the process.
 */
int session_request(const struct session_context *context, struct session_command *request,
                    char **body, int received[3]);
