/* Ends a helper for good, with its worker. */
#pragma once

#include <glib.h>

/*
 * Sends SIGTERM to the supervisor of the helper NAME that works in FOLDER, and waits until both are
 * gone. TRUE when there is none, then or from the beginning; FALSE after five seconds.
 */
gboolean helper_stop(const char *folder, const char *name);
/* The same for every helper that has a lock in FOLDER. */
gboolean helper_stop_all(const char *folder);
