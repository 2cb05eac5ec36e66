/* Whether a name is protected, by text alone. Pure functions. */
#pragma once

#include <stddef.h>

enum guard_relation {
    GUARD_FREE,
    GUARD_ABOVE,  /* a protected path lies below it */
    GUARD_WITHIN, /* it is a protected path, or lies below one */
};

struct guard_list {
    const char *const *paths; /* absolute and clean */
    int count;
};

/* LENGTH bytes at NAME, not "." or "..", in FOLDER, an absolute and clean path. */
enum guard_relation guard_relate(const struct guard_list *list, const char *folder,
                                 const char *name, size_t length);
/*
 * 1 when NAME or any part of FOLDER is called like a protected path: then it may be one that was
 * reached by another way, by a mount of a folder above.
 */
int guard_resembles(const struct guard_list *list, const char *folder, const char *name,
                    size_t length);
/* 1 when the LENGTH bytes at NAME mean WANTED, or a name under which tools write WANTED anew. */
int guard_is_named(const char *name, size_t length, const char *wanted);
