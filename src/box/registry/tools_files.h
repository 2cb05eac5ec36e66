/* Where the files of tools.h are, for its parts. */
#pragma once

#include <glib.h>

#define TOOLS_FOLDER "tools"
#define TOOLS_SHARED TOOLS_FOLDER "/shared"
#define TOOLS_WORK TOOLS_FOLDER "/work"
#define TOOLS_LOCKS TOOLS_FOLDER "/locks"
#define TOOLS_POINTER "for-"

/* FOLDER/NAME.ID in the data folder, or FOLDER/NAME with ID NULL: a new string. */
char *tools_file(const char *folder, const char *name, const char *id);
/* FILE of the installations of NAME, or with NULL their folder; a new string. */
char *tools_shared_file(const char *name, const char *file);
/* The file that has the ID for KIND, a new string. */
char *tools_pointer(const char *name, const char *kind);
gboolean tools_id_is_valid(const char *text);
/* The kind that the file PATH has, a new string; NULL: none. */
char *tools_read_kind(const char *path);
