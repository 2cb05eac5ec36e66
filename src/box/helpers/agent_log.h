/* The log of what the SSH agent was asked, and how it answered (ssh-agent/agent/audit.h). */
#pragma once

#include <glib.h>

/* The lines of the file that is written and of the one before it, the oldest first. */
GPtrArray *agent_log_lines(void);

/* How many requests of BOX were signed or refused since TIME, microseconds since 1970. */
void agent_log_count(const char *box, gint64 time, guint *done, guint *refused);
