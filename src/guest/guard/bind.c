#include "guest/guard/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "guest/guard/caller.h"
#include "guest/guard/file_system.h"
#include "guest/guard/procfs.h"
#include "guest/guard/rights.h"
#include "sys/debug.h"

#define MAY_RUN 0111

static int bind_it(const struct guard_request *request)
{
    return call_error(bind(request->old.base, request->value, (socklen_t)request->number));
}

/* A path by which the guard would come to its own files, or to those of another process: the last
 * name is enough then, in the folder that the caller meant. */
static int bind_name(const struct guard_request *request, const struct guard_place *place)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(place->name);
    if (length > sizeof address.sun_path)
        return EINVAL;
    memcpy(address.sun_path, place->name, length);
    if (fchdir(place->folder) < 0)
        return errno;
    length += offsetof(struct sockaddr_un, sun_path);
    return call_error(bind(request->old.base, (struct sockaddr *)&address, (socklen_t)length));
}

/* What has come about, if it is at PLACE, may be executed as the umask MASK says: nothing does, but
 * some programs tell one another something by it. */
static void complete_mode(const struct guard_request *request, const struct guard_place *place,
                          mode_t mask)
{
    struct stat st, made;
    char name[32];
    int fd = openat(place->folder, place->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && fstat(request->old.base, &st) == 0 && fstat(fd, &made) == 0 &&
        S_ISSOCK(made.st_mode)) {
        mode_t mode = made.st_mode & 07777;
        mode_t whole = guard_set_id_drop(fd, mode | (st.st_mode & MAY_RUN & ~mask));
        snprintf(name, sizeof name, "%d", fd);
        if (whole != mode && fchmodat(guard_procfs_own(), name, whole, 0) < 0)
            debug_log(DEBUG_GUARD, "process %d: the socket '%s' keeps its mode: %s", request->pid,
                      request->made.text, strerror(errno)); /* it works as well */
    }
    if (fd >= 0)
        close(fd);
}

int guard_bind_at(struct guard_request *request, const struct guard_place *place)
{
    int error = 0, base = request->made.base;
    mode_t mask = umask(0);
    umask(mask | MAY_RUN);
    if (place->is_by_hand)
        error = bind_name(request, place);
    else if (base >= 0 && fchdir(base) < 0)
        error = errno;
    else
        error = bind_it(request);
    umask(mask);
    if (!error)
        complete_mode(request, place, mask);
    return error;
}

/* A socket that gets no number by its address gets that of the process that binds it (netlink(7)),
 * or another one where that is taken. */
static int bind_netlink(struct guard_request *request)
{
    struct sockaddr_nl *address = request->value, now = {.nl_pid = 1};
    socklen_t size = sizeof now;
    if (request->number < sizeof *address || address->nl_pid ||
        getsockname(request->old.base, (struct sockaddr *)&now, &size) < 0 || now.nl_pid ||
        guard_caller_know(request) != 0)
        return bind_it(request);
    address->nl_pid = (uint32_t)request->status.own_tgid;
    int error = bind_it(request);
    address->nl_pid = 0;
    return error == EADDRINUSE ? bind_it(request) : error;
}

int guard_bind(struct guard_request *request)
{
    if (guard_rights_act(request) < 0) /* also where the path leads, should it change */
        return EPERM;
    if (request->made.text[0]) {
        int error = guard_make(request);
        return error == EEXIST ? EADDRINUSE : error;
    }
    return request->flags == AF_NETLINK ? bind_netlink(request) : bind_it(request);
}
