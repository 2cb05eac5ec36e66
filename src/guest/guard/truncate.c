#include "guest/guard/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest/guard/caller.h"
#include "guest/guard/procfs.h"

static int open_to_truncate(struct guard_request *request, const struct guard_place *place, int *fd)
{
    char name[32];
    int itself = place->object < 0, folder = itself ? place->folder : guard_procfs_own();
    snprintf(name, sizeof name, "%d", place->object);
    const char *what = itself ? place->name : name;
    *fd = guard_open_now(itself, folder, what, O_WRONLY | O_NONBLOCK, 0);
    if (*fd < 0 && errno == EAGAIN) /* a lease is being given up */
        return guard_fifo_open(request, itself, folder, what, O_WRONLY, fd);
    return *fd < 0 ? errno : 0;
}

static int truncate_place(struct guard_request *request, const struct guard_place *place)
{
    struct stat st;
    int object = place->object >= 0, fd;
    if (object ? fstat(place->object, &st) < 0
               : fstatat(place->folder, place->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno;
    if (!S_ISREG(st.st_mode))
        return S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
    if (object ? guard_procfs_is(place->object) : place->in_proc)
        return EACCES;
    if (guard_file_is_kept(request, place, &st))
        return EROFS;
    if ((off_t)request->number > st.st_size && guard_caller_exceeds_size(request))
        return EFBIG;
    int error = open_to_truncate(request, place, &fd);
    if (error)
        return error;
    if (!object && guard_file_is_second_name(request, fd))
        error = EROFS;
    else
        error = ftruncate(fd, (off_t)request->number) < 0 ? errno : 0;
    close(fd);
    return error;
}

int guard_truncate(struct guard_request *request)
{
    struct guard_place place;
    if ((int64_t)request->number < 0)
        return EINVAL;
    int error = guard_lookup(request, &request->made, 1, &place);
    if (error)
        return error;
    error = truncate_place(request, &place);
    guard_place_release(&place);
    return error;
}
