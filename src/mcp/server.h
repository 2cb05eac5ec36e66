/* An MCP server for one box, on standard input and output (specification 2026-07-28, Transports,
 * stdio). */
#pragma once

#include "box/registry/registry.h"

/*
 * Serves until standard input ends, then ends all that runs for it. Standard output gets messages
 * of the protocol alone: what else this process prints goes to standard error. Returns an exit
 * status, or -1 with ERROR.
 */
int mcp_serve(struct box *self, GError **error);
