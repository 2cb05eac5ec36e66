/* Bytes on their way, with a ceiling. libc only. */
#pragma once

#include <stddef.h>

/* No more than so many are kept, unless it says so: whoever fills one stops reading long before. */
#define BYTES_MAX ((size_t)4 << 20)

struct bytes {
    unsigned char *data;
    size_t length, room, most; /* most: 0 for BYTES_MAX */
};

/* Puts LENGTH of them behind the others; -1, and nothing is changed, when there is no room. */
int bytes_add(struct bytes *self, const void *data, size_t length);
/* Room for LENGTH more, without adding them; NULL when there is none. */
unsigned char *bytes_room(struct bytes *self, size_t length);
/* Takes LENGTH away at the front. */
void bytes_drop(struct bytes *self, size_t length);
/* All of them, and their memory. */
void bytes_clear(struct bytes *self);
