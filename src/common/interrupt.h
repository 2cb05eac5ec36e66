/* Ctrl-C while something long is under way that has to clean up. */
#pragma once

#include <glib.h>

/* From now on SIGINT, SIGTERM and SIGHUP are noted, and do not end the process. */
void interrupt_begin(void);
/* They do again. */
void interrupt_end(void);
/* FALSE with BOX_ERROR_CANCELLED after one of them. */
gboolean interrupt_check(GError **error);
