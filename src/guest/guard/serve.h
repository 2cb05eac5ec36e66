/*
 * The guard's first thread: takes listeners from sessions, and lets workers (guest/guard/workers.h)
 * answer their calls.
 */
#pragma once

#include "guest/common/privileges.h"

/* Serves until PID 1's end of FROM_SESSIONS is gone. */
void guard_serve(const struct init_options *options, enum guard_kind kind, int from_sessions);
