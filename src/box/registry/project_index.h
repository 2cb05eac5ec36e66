/*
 * Finds the name of a project's box in one step:
 *
 *   data/projects/SHA256         link to ../boxes/NAME, by the hash of the project's path
 *
 * Errors are ignored: without the index the next search looks at all boxes, and writes it again.
 */
#pragma once

#include <glib.h>

/* The name that the index has for PROJECT, a new string; NULL: none that may be a box's. The box
 * may be gone, or have another project by now. */
char *project_index_find(const char *project);
void project_index_write(const char *name, const char *project);
void project_index_remove(const char *project);
/* Removes what a killed project_index_write() has left. */
void project_index_clean(void);

/*
 * What a project's folder is recognised by when its path has changed: "DEVICE INODE BIRTH". With
 * the birth time, because the number of an inode is reused after its folder was removed.
 */

/* That of FOLDER as it is now, a new string; NULL when there is none. */
char *folder_identity(const char *folder);
/* That of the project of the box NAME when it was registered, a new string; or NULL. */
char *folder_identity_recorded(const char *name);
