/*
 * Files of a project that its configuration names and that are executed: the Containerfile, and the
 * setup script of the home.
 */
#pragma once

#include "config/settings.h"

/* Room for all, and NULL. */
#define NAMED_FILES 3
/* Those that WANTED names, relative to the project; they belong to WANTED. */
void named_files(const settings *wanted, char *files[NAMED_FILES]);

/* Bytes of a file that a text shows; of a larger one it has size and SHA-256. */
#define NAMED_FILE_SHOWN_MAX (64 << 10)
/*
 * What the files of PROJECT hold that NOW names and BASE does not: for each a line "==> NAME" and
 * its lines. A new string, "" when there are none. Follows no symbolic link.
 */
char *named_files_text(const char *project, const settings *base, const settings *now);
/* FALSE when TEXT has FILE, the Containerfile, with other contents than the LENGTH bytes DATA. */
gboolean named_files_agree(const char *text, const char *file, const char *data, gsize length);
