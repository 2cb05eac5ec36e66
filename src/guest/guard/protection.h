/* Whether a place is protected: by where it really is, and by what it is. */
#pragma once

#include "guest/guard/git_names.h"
#include "guest/guard/lookup.h"

struct guard_verdict {
    enum guard_relation relation;
    enum git_role role; /* as far as the relation is GUARD_FREE */
};

/* Once, when the guard starts: which mounts the protected names and the shared folders lie on. */
void guard_protection_begin(const struct protected_names *names,
                            const struct init_options *options);

struct guard_verdict guard_protection_judge(struct guard_request *request,
                                            const struct guard_place *place);
/* 1 when NAME in FOLDER, an absolute path, is free whatever stands there, and has no role in a git
 * folder. By text: it must be where the file really is. */
int guard_protection_is_free(const struct guard_request *request, const char *folder,
                             const char *name);
/* Of a new name in FOLDER that nobody knows yet. */
enum guard_relation guard_protection_in_folder(struct guard_request *request, int folder);

/* Where FOLDER, a descriptor, is. 0, or -1 when there is no telling. Changes the working folder. */
int guard_folder_path(int folder, char path[PATH_MAX]);

/* 1 when FOLDER holds protected names or lies above one, or is a part of a git repository. */
int guard_protection_holds(struct guard_request *request, int folder);

/* 1 when ST is of a protected file or folder itself, under whatever name it was found. */
struct stat;
int guard_protection_of_inode(struct guard_request *request, const struct stat *st);

/*
 * Notes which folders hold protected names, by their identity. Before the caller's view is entered,
 * where their paths mean nothing; elsewhere it is done when it is needed.
 */
void guard_protection_prepare(const struct protected_names *names);
