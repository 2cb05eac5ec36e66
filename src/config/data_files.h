/*
 * Files NAME.toml that are installed in a folder of share/litterbox, and may be replaced and added
 * to by the user's own in $XDG_CONFIG_HOME/litterbox: groups of network rules, presets of AI
 * agents. A project has none.
 */
#pragma once

#include "common/error.h"
#include "config/toml.h"

/* The path of the user's own file NAME in FOLDER, whether it is there or not; a new string. */
char *data_file_own(const char *folder, const char *name);

/*
 * Reads the user's own file NAME of FOLDER, or else the installed one; the caller has checked NAME.
 * *FILE is its path, a new string. *DATA is NULL when there is neither. FALSE with
 * BOX_ERROR_CONFIG.
 */
gboolean data_file_read(const char *folder, const char *name, char **file, char **data,
                        gsize *length, GError **error);

/* Whether there is such a file, as data_file_read() would find it, or fail to. */
gboolean data_file_exists(const char *folder, const char *name);

/* The names of both that IS_VALID takes, sorted; free with g_strfreev(). */
char **data_file_names(const char *folder, gboolean (*is_valid)(const char *name));

/* Sets ERROR, BOX_ERROR_CONFIG, to "FILE:LINE:COLUMN: " and what FORMAT says. Returns FALSE. */
gboolean data_file_wrong(const char *file, toml_place at, GError **error, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
