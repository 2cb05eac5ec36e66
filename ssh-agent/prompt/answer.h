/*
 * The answer: one JSON line on stdout. The first one counts and ends the main loop; whoever asked
 * takes everything else (no line, another exit status) for a no.
 */
#pragma once

#include <glib.h>

/* "deny", "mute", "timeout", or the id of a choice. */
void answer_word(const char *word);

/* The password; the copy that is made for writing is wiped. */
void answer_password(const char *password);

/* The ids of the keys that were picked. */
void answer_keys(const GPtrArray *ids);

/* TRUE when an answer was given and written completely. */
gboolean answer_written(void);
