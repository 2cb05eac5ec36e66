/*
 * The set-user-ID and set-group-ID bits. What a box makes in the project or its home is a file of
 * the user's on the host: there another user could run it as them, though in the box no_new_privs
 * keeps the bits from meaning anything. So they are dropped, as POSIX lets chmod() do, from all but
 * folders and what lies in the box's own root file system, where packages are installed.
 */
#pragma once

#include <sys/types.h>

#define GUARD_SET_ID_BITS 06000

/* Once, when the guard starts: which mount is the box's root. */
void guard_set_id_begin(void);
/* MODE as a file may have it that is FD or is made in the folder FD. */
mode_t guard_set_id_drop(int fd, mode_t mode);
