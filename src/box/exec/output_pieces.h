/*
 * What a session prints, kept up to a limit, as JSON: pieces of standard output and error in the
 * order in which they came. Of too much output the beginning and the end are kept.
 */
#pragma once

#include <glib.h>
#include <jansson.h>

#include "session/client.h"

typedef struct output_pieces output_pieces;

/* MOST: bytes that are kept. */
output_pieces *output_pieces_new(gsize most);
void output_pieces_free(output_pieces *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(output_pieces, output_pieces_free)

/* Adds what FD (1 or 2) got. */
void output_pieces_add(output_pieces *self, int fd, const char *bytes, gsize length);
/* Bytes that were added, kept or not. */
guint64 output_pieces_length(const output_pieces *self);
/* Bytes that are not kept. */
guint64 output_pieces_omitted(const output_pieces *self);
/* Forgets what is kept, to begin anew. */
void output_pieces_clear(output_pieces *self);

/*
 * A new array of {"stream": "stdout" or "stderr", "text": …}; the first piece behind a gap also has
 * "omitted_before", a number of bytes. What is no UTF-8 is U+FFFD. PLAIN: so are control characters
 * but for tab, line feed and carriage return, as a client may show the text on a terminal.
 */
json_t *output_pieces_json(const output_pieces *self, gboolean plain);

/* LENGTH bytes as such a text. */
json_t *output_text(const char *bytes, gsize length, gboolean plain);

/* The end of a session as JSON, for `box run --json` and the tools of `box mcp`. */

/*
 * A new object: "status" (of box_run_session(); null: nothing ran), "signal" ("SIGKILL", or null),
 * "timed_out", "duration" (seconds), "output" and "truncated" (see output_pieces.h).
 */
json_t *session_json(int status, const struct client_result *result, double duration,
                     const output_pieces *output, gboolean plain);
