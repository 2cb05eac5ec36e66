/* What a session's end means to the user. */
#pragma once

#include "box/session/session_options.h"
#include "session/client.h"

/*
 * The exit status of `box` for RESULT of a session that began in FOLDER, hostile like its command;
 * prints why the command could not run. -1 with ERROR where the box is at fault.
 */
int session_exit_status(const session_options *options, const char *folder,
                        const struct client_result *result, GError **error);
