/* Ctrl-C while something long is under way that has to clean up. */
#pragma once

#include <glib.h>

/* From now on SIGINT, SIGTERM and SIGHUP are noted, and do not end the process. */
void interrupt_begin(void);
/* They do again, and what was noted is forgotten. */
void interrupt_end(void);
/* What was noted is forgotten, and they are ignored until interrupt_end(): for what undoes. */
void interrupt_ignore(void);
/* FALSE with BOX_ERROR_CANCELLED after one of them. */
gboolean interrupt_check(GError **error);
