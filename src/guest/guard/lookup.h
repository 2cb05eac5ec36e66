/* From a path to the folder and the name that it means, as the caller sees them. */
#pragma once

#include <sys/stat.h>

#include "guest/guard/request.h"

struct guard_place {
    int folder;          /* O_PATH; -1: OBJECT instead */
    int object;          /* O_PATH: what a descriptor's link in /proc leads to; or -1 */
    char name[PATH_MAX]; /* in FOLDER, with any slashes behind it */
    size_t length;       /* without those */
    int in_proc;         /* FOLDER is in a procfs */
    int is_borrowed;     /* FOLDER is the request's own */
    int is_by_hand;      /* for the guard the path could lead elsewhere */
    int is_known;        /* ST is what NAME was a moment ago */
    struct stat st;
};

/*
 * FOLLOW: a symlink at the end is followed; then NAME is none, or was none a moment ago. 0, or an
 * errno; release PLACE only after 0.
 */
int guard_lookup(struct guard_request *request, const struct guard_path *path, int follow,
                 struct guard_place *place);
/* The whole of PATH as a folder. O_PATH, or -1 with errno. */
int guard_lookup_folder(struct guard_request *request, const struct guard_path *path);
void guard_place_release(struct guard_place *place);
/* 1 when NAME is "." or "..", or ends with a slash: it makes no file. */
int guard_place_is_folder(const struct guard_place *place);
/* Where the last part of TEXT begins. */
size_t guard_last_part(const char *text);
