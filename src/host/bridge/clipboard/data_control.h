/*
 * The Wayland clipboard of the user's desktop, as a clipboard manager has it: by
 * ext-data-control-v1, or by wlr-data-control-unstable-v1, which it was made of. Neither says
 * anything of a box; a compositor offers them to programs that are not sandboxed.
 *
 * Both protocols have the same requests and events under other names; their interfaces are written
 * out in data_control_wire.c, because older wayland-protocols have not got their XML.
 */
#pragma once

#include "host/bridge/clipboard/exchange.h"

/*
 * Connects to $WAYLAND_DISPLAY; waits for its answer: whoever calls has an alarm set. READS:
 * whether what others copy is of interest. It is put into the loop. -1, and says why on stderr:
 * there is none, or it has neither protocol.
 */
int data_control_begin(struct exchange *exchange, int reads);
/* For the exchange. */
struct exchange_port data_control_port(void);
/* As exchange_due(). */
int data_control_due(int64_t now);
/* Once all of a turn is done: sends it. */
void data_control_flush(void);
