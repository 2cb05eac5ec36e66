/* Whether a name is protected, by text alone. Pure functions. */
#pragma once

#include <stddef.h>

enum reserve_relation {
    RESERVE_FREE,
    RESERVE_ABOVE,  /* a protected path lies below it */
    RESERVE_WITHIN, /* it is a protected path, or lies below one */
};

struct reserve_list {
    const char *const *paths; /* absolute and clean */
    int count;
};

/* LENGTH bytes at NAME, not "." or "..", in FOLDER, an absolute and clean path. */
enum reserve_relation reserve_relate(const struct reserve_list *list, const char *folder,
                                     const char *name, size_t length);
/*
 * 1 when NAME or any part of FOLDER is called like a protected path: then it may be one that was
 * reached by another way, by a mount of a folder above.
 */
int reserve_resembles(const struct reserve_list *list, const char *folder, const char *name,
                      size_t length);
/* 1 when the LENGTH bytes at NAME mean WANTED, or a name under which tools write WANTED anew. */
int reserve_is_named(const char *name, size_t length, const char *wanted);
