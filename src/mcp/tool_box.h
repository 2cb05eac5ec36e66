/* The tools status and port: what the box is and may, and ports of this machine that lead into it.
 */
#pragma once

#include "mcp/call.h"

void tool_status_start(struct call *call);
void tool_port_start(struct call *call);
