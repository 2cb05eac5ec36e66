/* From a path to the folder and the name that it means, as the caller sees them. */
#pragma once

#include "init/reserve_request.h"

struct reserve_place {
    int folder;          /* O_PATH; -1: OBJECT instead */
    int object;          /* O_PATH: what a descriptor's link in /proc leads to; or -1 */
    char name[PATH_MAX]; /* in FOLDER, with any slashes behind it */
    size_t length;       /* without those */
    int in_proc;         /* FOLDER is in a procfs */
};

/*
 * FOLLOW: a symlink at the end is followed; then NAME is none, or was none a moment ago. 0, or an
 * errno; release PLACE only after 0.
 */
int reserve_resolve(struct reserve_request *request, const struct reserve_path *path, int follow,
                    struct reserve_place *place);
/* The whole of PATH as a folder. O_PATH, or -1 with errno. */
int reserve_resolve_folder(struct reserve_request *request, const struct reserve_path *path);
void reserve_place_release(struct reserve_place *place);
/* 1 when NAME is "." or "..", or ends with a slash: it makes no file. */
int reserve_place_is_folder(const struct reserve_place *place);
/* Where the last part of TEXT begins. */
size_t reserve_last_part(const char *text);
