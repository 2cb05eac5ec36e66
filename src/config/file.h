/* Reading the configuration files themselves. */
#pragma once

#include <glib.h>

#define PROJECT_FILE "litterbox.toml"

/*
 * The user's own file PATH: may be a symlink (dotfiles are), of at most CONFIG_FILE_MAX bytes.
 * *DATA is NULL when there is none. Problems are BOX_ERROR_CONFIG.
 */
gboolean file_read_own(const char *path, char **data, gsize *length, GError **error);

/*
 * PROJECT/litterbox.toml, which a box may have had its hands on: no symlink is followed, nothing
 * but a regular file without NUL is read. *DATA is NULL when there is none; a folder of that name
 * and an empty file count as none: a box without the file has such a placeholder there.
 */
gboolean file_read_project(const char *project, char **data, gsize *length, GError **error);
