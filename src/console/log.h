/*
 * Messages to the user, on stderr; results go to stdout. A message is one line, "box: TEXT", in the
 * colour of its level when stderr is a terminal with colours (NO_COLOR is obeyed).
 */
#pragma once

#include <glib.h>

/* Set by --quiet: notes and steps are not shown. */
extern gboolean log_quiet;
/* Set by --json of a command that takes long: progress is printed as JSON lines. */
extern gboolean log_json;

/* TRUE when text on FD may have colours: a terminal that is not "dumb", without NO_COLOR. */
gboolean log_has_colours(int fd);

void log_note(const char *format, ...) G_GNUC_PRINTF(1, 2);
void log_warning(const char *format, ...) G_GNUC_PRINTF(1, 2);
void log_error(const char *format, ...) G_GNUC_PRINTF(1, 2);

/*
 * A step is work that may take long. log_step() shows its text once half a second has passed
 * since log_start() or since the last step that was shown, so that quick commands print nothing.
 * log_step_done() ends it. Steps do not nest. Uses SIGALRM and ITIMER_REAL.
 */
void log_start(void);
void log_step(const char *format, ...) G_GNUC_PRINTF(1, 2);
void log_step_done(void);
