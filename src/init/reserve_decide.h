/* Whether a place is protected: by where it really is, and by what it is. */
#pragma once

#include "init/reserve_resolve.h"

enum reserve_relation reserve_decide(struct reserve_request *request,
                                     const struct reserve_place *place);
/* Of a new name in FOLDER that nobody knows yet. */
enum reserve_relation reserve_decide_folder(struct reserve_request *request, int folder);

/* 1 when ST is of a protected file or folder itself, under whatever name it was found. */
struct stat;
int reserve_decide_is_protected(struct reserve_request *request, const struct stat *st);

/*
 * Notes which folders hold protected names, by their identity. Before the caller's view is entered,
 * where their paths mean nothing; elsewhere it is done when it is needed.
 */
void reserve_decide_prepare(const struct reserve_list *list);
