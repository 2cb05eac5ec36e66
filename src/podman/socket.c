#include "podman/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static gboolean fits(const char *path)
{
    return strlen(path) < sizeof((struct sockaddr_un *)NULL)->sun_path;
}

char *socket_address(const char *path, int *folder)
{
    *folder = -1;
    if (fits(path))
        return g_strdup(path);
    g_autofree char *parent = g_path_get_dirname(path);
    g_autofree char *name = g_path_get_basename(path);
    int fd = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    g_autofree char *address = g_strdup_printf("/proc/self/fd/%d/%s", fd, name);
    if (!fits(address)) {
        close(fd);
        errno = ENAMETOOLONG;
        return NULL;
    }
    *folder = fd;
    return g_steal_pointer(&address);
}

static struct sockaddr_un fill(const char *address)
{
    struct sockaddr_un result = {.sun_family = AF_UNIX};

    g_strlcpy(result.sun_path, address, sizeof result.sun_path);
    return result;
}

gboolean socket_answers(const char *address)
{
    struct sockaddr_un to = fill(address);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    gboolean answers;

    if (fd < 0)
        return FALSE;
    /* EAGAIN: its queue is full. */
    answers = connect(fd, (struct sockaddr *)&to, sizeof to) == 0 || errno == EAGAIN;
    close(fd);
    return answers;
}

int socket_listen(const char *address)
{
    struct sockaddr_un at = fill(address);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    /* The folder is the user's own (0700): the mode is not what protects the socket. */
    if (fd >= 0 && (unlink(address) == 0 || errno == ENOENT) &&
        bind(fd, (struct sockaddr *)&at, sizeof at) == 0 && chmod(address, 0600) == 0 &&
        listen(fd, SOMAXCONN) == 0)
        return fd;
    int saved = errno;
    if (fd >= 0)
        close(fd);
    errno = saved;
    return -1;
}
