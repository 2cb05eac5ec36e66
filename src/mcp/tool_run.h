/* The tools run, output and stop: commands and code in the box, to their end or in the background.
 */
#pragma once

#include "mcp/call.h"

/* Seconds. */
#define RUN_TIMEOUT 120
#define RUN_TIMEOUT_MAX 86400
#define OUTPUT_WAIT_MAX 60
/* Bytes. */
#define RUN_OUTPUT 65536
#define RUN_OUTPUT_MAX (1 << 20)

void tool_run_start(struct call *call);
void tool_output_start(struct call *call);
void tool_stop_start(struct call *call);

/* A new list for a tool_host; when it is freed, all commands in it end. The calls that wait for
 * them must have been dropped before. */
GPtrArray *background_list_new(void);
/* {"handle", "command", "running"} of what is in the background; a new array. */
json_t *background_json(const struct tool_host *host);
