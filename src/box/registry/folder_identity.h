/*
 * What a project's folder is recognised by when its path has changed: "DEVICE INODE BIRTH". With
 * the birth time, because the number of an inode is reused after its folder was removed.
 */
#pragma once

/* That of FOLDER as it is now, a new string; NULL when there is none. */
char *folder_identity(const char *folder);
/* That of the project of the box NAME when it was registered, a new string; or NULL. */
char *folder_identity_recorded(const char *name);
