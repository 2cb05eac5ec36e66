/*
 * Whether two names can mean one file. Pure functions over hostile bytes.
 *
 * Which file system a folder is on, and how it compares names, nobody tells in time; so names count
 * as one if any file system could take them for one: FAT, exFAT and NTFS (case, dots and spaces at
 * the end, ":stream", short names such as GIT~1), ext4 and f2fs with casefold, HFS+ and APFS (case,
 * characters that are ignored, those beyond ASCII that fold into it, as the one character "fi"). Of
 * other letters beyond ASCII only the same bytes are one.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A is LENGTH bytes without a slash; so is B, the name of a protected path. */
int name_is_same(const char *a, size_t a_length, const char *b, size_t b_length);
/* The same of A, or a part of it from its beginning, and B. */
int name_begins(const char *a, size_t a_length, const char *b, size_t b_length);
/* 0: they cannot be the same, nor A any name that begins with B. Looks at A, and two bytes of B. */
int name_may_be(const char *a, size_t a_length, const char *b, size_t b_length);
/* 1: no character is ignored or folded but the case of ASCII letters, and it is no short name. */
int name_is_plain(const char *name, size_t length);

/* The first two bytes of a set of names, which tell most other names apart from all of them. */
struct name_set {
    uint64_t rows[128][2]; /* by the first byte: the second ones */
};

/* Adds B to SELF, which starts as zeros. */
void name_set_add(struct name_set *self, const char *b, size_t b_length);
/* 0: name_may_be() is 0 for A and each name of SELF. */
int name_set_may_hold(const struct name_set *self, const char *a, size_t a_length);
