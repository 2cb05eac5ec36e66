/*
 * The end of an exchange that is a Wayland compositor: the desktop's clipboard, through the
 * protocols for clipboard managers, ext-data-control-v1 or its predecessor
 * wlr-data-control-unstable-v1. Compositors offer them to programs that are not sandboxed.
 */
#pragma once

#include "host/bridge/clipboard/exchange.h"

/*
 * Connects to $WAYLAND_DISPLAY, waits for its answer (the caller has set an alarm), and adds the
 * connection to the event loop. READS: whether the exchange wants what programs of the desktop
 * copy. -1 on failure; a compositor without either protocol is reported on stderr.
 */
int data_control_begin(struct exchange *exchange, int reads);
/* For the exchange. */
struct exchange_port data_control_port(void);
/* As exchange_due(). */
int data_control_due(int64_t now);
/* Sends the queued requests. Call it at the end of each turn of the loop. */
void data_control_flush(void);
