/* The end of a session as JSON, for `box run --json` and the tools of `box mcp`. */
#pragma once

#include <jansson.h>

#include "box/exec/output_pieces.h"
#include "session/client.h"

/*
 * A new object: "status" (of box_run_session(); null: nothing ran), "signal" ("SIGKILL", or null),
 * "timed_out", "duration" (seconds), "output" and "truncated" (see output_pieces.h).
 */
json_t *session_json(int status, const struct client_result *result, double duration,
                     const output_pieces *output, gboolean plain);
