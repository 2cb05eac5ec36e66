/* Descriptors of a process that goes on without its parent's. libc only. */
#pragma once

#include <stddef.h>

/* Closes all but the COUNT of KEEP, which are sorted meanwhile; a negative one is none. */
void descriptors_keep(int *keep, size_t count);
