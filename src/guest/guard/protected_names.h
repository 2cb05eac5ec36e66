/*
 * Whether a name is protected, by text alone. Pure functions.
 *
 * Every held call asks for this, so the protected paths are compiled once into folders and the
 * names in them, and most names are told apart by their first two bytes.
 */
#pragma once

#include <stddef.h>

#include "guest/guard/name_folding.h"

enum guard_relation {
    GUARD_FREE,
    GUARD_ABOVE,  /* a protected path lies below it */
    GUARD_WITHIN, /* it is a protected path, or lies below one */
};

struct protected_name {
    const char *path; /* absolute and clean */
    const char *name; /* its last part */
    size_t length;    /* of that */
};

/* The protected names of one folder. */
struct protected_folder {
    const char *path; /* only its first LENGTH bytes */
    size_t length;
    const struct protected_name *names;
    int count;
};

struct protected_names {
    struct protected_name *all; /* those of one folder together */
    int count;
    struct protected_folder *folders;
    int folder_count;
    struct name_set set; /* of all */
};

/* Compiles COUNT of PATHS, which are absolute and clean, and must stay. 0, or -1 without memory. */
int protected_names_compile(struct protected_names *self, const char *const *paths, int count);
void protected_names_release(struct protected_names *self);

/* LENGTH bytes at NAME, not "." or "..", in FOLDER, an absolute and clean path. */
enum guard_relation protected_names_relate(const struct protected_names *self, const char *folder,
                                           const char *name, size_t length);
/*
 * 1 when NAME or any part of FOLDER is called like a protected path: then it may be one that was
 * reached by another way, by a mount of a folder above.
 */
int protected_names_resemble(const struct protected_names *self, const char *folder,
                             const char *name, size_t length);
/* 1 when the LENGTH bytes at NAME mean WANTED, or a name under which tools write WANTED anew. */
int protected_names_match(const char *name, size_t length, const char *wanted);
