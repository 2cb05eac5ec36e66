#include "guest/guard/calls.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "guest/guard/answer.h"
#include "guest/guard/file_system.h"
#include "guest/guard/umask.h"

#define MAY_RUN 0111

/* Adds the first LENGTH bytes of TEXT to the path FOLDER. 0, or -1 when it does not lead down. */
static int append_way(char folder[PATH_MAX], const char *text, size_t length)
{
    size_t end = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    for (size_t at = 0; at < length;) {
        size_t part = strcspn(text + at, "/");
        if (!part || (text[at] == '.' && (part == 1 || (part == 2 && text[at + 1] == '.'))) ||
            end + part + 2 > PATH_MAX)
            return -1;
        folder[end++] = '/';
        memcpy(folder + end, text + at, part);
        end += part;
        at += part + 1;
        folder[end] = '\0';
    }
    return 0;
}

/* 1 for a plain file that must be new, in a folder of a user's box; in git's own the text says too
 * little. */
static int is_simple(const struct guard_request *request, const char *name)
{
    const int exclusive = O_CREAT | O_EXCL;
    return request->act == GUARD_OPEN && (request->flags & exclusive) == exclusive &&
           request->kind == GUARD_FOR_USER && !(request->mode & GUARD_SET_ID_BITS) &&
           request->made.base >= 0 && !strstr(request->made.text, ".git/") && *name &&
           !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* As the kernel: a caller whose table is full has made no file. */
static int give(struct guard_request *request, int fd)
{
    struct guard_place place;
    request->lingers = !(request->mode & MAY_RUN);
    int error = guard_answer_descriptor(request, fd);
    if (error && guard_lookup(request, &request->made, 0, &place) == 0) {
        unlinkat(place.folder, place.name, 0);
        guard_place_release(&place);
    }
    return error;
}

/*
 * Without links and mounts on the way the file can only come to lie where the text says, below the
 * folder that it starts from; and O_EXCL opens nothing that was there.
 */
int guard_open_new_below(struct guard_request *request, int *error)
{
    char folder[PATH_MAX];
    const char *text = request->made.text;
    size_t way = guard_last_part(text);
    if (text[0] == '/' || !is_simple(request, text + way) ||
        guard_folder_path(request->made.base, folder) < 0 || append_way(folder, text, way) < 0 ||
        !guard_protection_is_free(request, folder, text + way) || guard_umask_take(request) != 0)
        return 0;
    int fd = guard_open_below(request->made.base, text, request->flags, request->mode);
    if (fd < 0)
        return 0; /* why, the longer way tells */
    *error = give(request, fd);
    return 1;
}
