/* Ctrl-C during a long call to Podman: the call ends with BOX_ERROR_CANCELLED, and we clean up. */
#pragma once

/* Between the two, SIGINT and SIGTERM cancel instead of killing. They do not nest. */
void interrupt_begin(void);
void interrupt_end(void);
