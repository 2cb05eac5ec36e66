/* Whether a place is protected: by where it really is, and by what it is. */
#pragma once

#include "guest/guard/resolve.h"

enum guard_relation guard_decide(struct guard_request *request, const struct guard_place *place);
/* Of a new name in FOLDER that nobody knows yet. */
enum guard_relation guard_decide_folder(struct guard_request *request, int folder);

/* 1 when ST is of a protected file or folder itself, under whatever name it was found. */
struct stat;
int guard_decide_is_protected(struct guard_request *request, const struct stat *st);

/*
 * Notes which folders hold protected names, by their identity. Before the caller's view is entered,
 * where their paths mean nothing; elsewhere it is done when it is needed.
 */
void guard_decide_prepare(const struct guard_list *list);
