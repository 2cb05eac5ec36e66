/* Whether a place is protected: by where it really is, and by what it is. */
#pragma once

#include "guest/guard/lookup.h"

/* Once, when the guard starts: which mounts the protected names lie on. */
void guard_protection_begin(const struct protected_names *names);

enum guard_relation guard_protection_of(struct guard_request *request,
                                        const struct guard_place *place);
/* Of a new name in FOLDER that nobody knows yet. */
enum guard_relation guard_protection_in_folder(struct guard_request *request, int folder);

/* 1 when ST is of a protected file or folder itself, under whatever name it was found. */
struct stat;
int guard_protection_of_inode(struct guard_request *request, const struct stat *st);

/*
 * Notes which folders hold protected names, by their identity. Before the caller's view is entered,
 * where their paths mean nothing; elsewhere it is done when it is needed.
 */
void guard_protection_prepare(const struct protected_names *names);
