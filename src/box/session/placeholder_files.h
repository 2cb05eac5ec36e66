/*
 * Files of a box's home that have the placeholder of a secret, beside variables
 * (config/secret_file.h). They are written in the box, by its programs, and no link is followed
 * there: neither to a file of the user's nor to the project, whatever the box has put in its place.
 * Once for each start of the box, and after `box secret attach`. What was written is remembered for
 * each home: a file with other contents is the user's, and stays.
 */
#pragma once

#include "box/registry/registry.h"
#include "box/session/new_home.h"

/* TRUE when placeholder_files_update() may have something to do; without secrets_are_in_home()
 * never. */
gboolean placeholder_files_are_pending(const struct box *self);
/* Calls EACH with the path below the home, and the contents, of all that may have been written. */
typedef void (*placeholder_file_visitor)(void *data, const char *path, const char *text);
void placeholder_files_each(const struct box *self, placeholder_file_visitor each, void *data);
/* Writes them, and removes those of secrets that are gone. */
void placeholder_files_update(const home_session *session);
