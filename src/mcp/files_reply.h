/*
 * What litterbox-files (guest/files) answers, as JSON: fields that end with NUL. The box may have
 * made it up: it is checked, and means nothing but what the model is told.
 */
#pragma once

#include <glib.h>
#include <jansson.h>

/* New objects, as the tools' schemas describe them; NULL when the answer is not valid. */
json_t *files_reply_read(const char *bytes, gsize length);
json_t *files_reply_write(const char *bytes, gsize length);
json_t *files_reply_edit(const char *bytes, gsize length);
json_t *files_reply_list(const char *bytes, gsize length);
json_t *files_reply_search(const char *bytes, gsize length);

/* The errno (0: none) and the words of a failure; FALSE when they are not valid. *WORDS: a new
 * string. */
gboolean files_reply_failure(const char *bytes, gsize length, int *error, char **words);
