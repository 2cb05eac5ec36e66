/*
 * The lines of `box logs --helpers`: what a box's container and its helpers printed, in the order
 * of time. A line is "TIME PROGRAM: TEXT", with the local time and its zone as in RFC 3339,
 * with milliseconds.
 *
 * A box chooses what its container prints, so every such line is marked "box:", and its time is
 * Podman's or that of the line before it: a box can forge neither a helper's line nor a time. The
 * text may hold control characters: print it with text_safe_max().
 */
#pragma once

#include <glib.h>

struct log_line {
    gint64 time; /* microseconds since 1970 */
    char *text;
};

/* The time before the first space of TEXT, as in RFC 3339, in microseconds, and the REST behind the
 * space. FALSE without one. */
gboolean log_line_time(const char *text, gint64 *time, const char **rest);

/* An empty list of struct log_line; g_ptr_array_unref() frees all. */
GPtrArray *log_lines_new(void);

/*
 * Adds LENGTH bytes of a line of the container, which Podman has begun with its time. CONTINUES:
 * they go on with the line before them, so they begin with no time.
 */
void log_lines_add_box(GPtrArray *lines, const char *bytes, gsize length, gboolean continues);

/* Adds all logs of helpers in FOLDER (host/supervisor/helper_log.h), the older file of each first.
 * A file that cannot be read is left out. */
void log_lines_add_helpers(GPtrArray *lines, const char *folder);

/* Puts LINES in the order of time, those of one time in the order that they were added, and keeps
 * the last COUNT of them; all when COUNT is negative. */
void log_lines_sort(GPtrArray *lines, int count);

/* The log of what the SSH agent was asked, and how it answered (ssh-agent/agent/audit.h). */

/* The lines of the file that is written and of the one before it, the oldest first. */
GPtrArray *agent_log_lines(void);

/* How many requests of BOX were signed or refused since TIME, microseconds since 1970. */
void agent_log_count(const char *box, gint64 time, guint *done, guint *refused);
