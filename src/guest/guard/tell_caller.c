#include "guest/guard/tell_caller.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "guest/guard/procfs.h"

#define LINE_MAX_BYTES 512 /* below PIPE_BUF: a pipe takes it whole or not at all */
#define TERMINALS 136      /* the major number of /dev/pts */

/* The caller's standard error, opened anew: its own flags stay as they are. -1: it has none that
 * could be written without harm, as a file has a place where its owner goes on to write. */
static int open_error_output(const struct guard_request *request)
{
    struct stat st;
    char name[32];
    int fd = -1, object = guard_request_descriptor(request, STDERR_FILENO);
    if (object >= 0 && fstat(object, &st) == 0 &&
        (S_ISFIFO(st.st_mode) || (S_ISCHR(st.st_mode) && major(st.st_rdev) == TERMINALS))) {
        snprintf(name, sizeof name, "%d", object);
        fd = openat(guard_procfs_own(), name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    }
    if (object >= 0)
        close(object);
    return fd;
}

void guard_tell_caller(const struct guard_request *request, const char *text)
{
    char line[LINE_MAX_BYTES];
    int length = snprintf(line, sizeof line - 1, "box: %s", text);
    if (request->view.abroad || length < 0)
        return;
    if (length > (int)sizeof line - 2)
        length = (int)sizeof line - 2;
    for (int i = 0; i < length; i++) {
        if (line[i] < ' ' || line[i] > '~')
            line[i] = '?';
    }
    line[length++] = '\n';
    int fd = open_error_output(request);
    if (fd >= 0 && write(fd, line, (size_t)length) < 0)
        line[0] = '\0'; /* nobody reads it, or not now */
    if (fd >= 0)
        close(fd);
}
