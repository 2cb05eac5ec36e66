/* Of D-Bus's types, what reading and writing both need. */
#pragma once

#include <stddef.h>

/* Of a value of the type TYPE; 0: there is no such type. Of those that are no container and no
 * text, it is the size as well. */
size_t wire_alignment(char type);

static inline size_t wire_align(size_t at, size_t alignment)
{
    return alignment ? (at + alignment - 1) / alignment * alignment : at;
}
