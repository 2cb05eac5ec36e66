/* What `box` tells the user while it works: on stderr, results go to stdout. */
#pragma once

#include <glib.h>

/* --quiet: only errors. --json of a long command: progress as JSON lines. */
extern gboolean say_quiet, say_json;

/* "box: TEXT" on stderr, in the colour of a warning or of a note where colours are wanted. */
void say_note(const char *format, ...) G_GNUC_PRINTF(1, 2);
void say_warning(const char *format, ...) G_GNUC_PRINTF(1, 2);
void say_error(const char *format, ...) G_GNUC_PRINTF(1, 2);

/*
 * Between the two, TEXT is shown once half a second has gone by in silence since say_begin() or the
 * last step that was shown, so that quick commands stay silent. Steps do not nest. TEXT is copied.
 */
void say_begin(void);
void say_step(const char *format, ...) G_GNUC_PRINTF(1, 2);
void say_step_done(void);
