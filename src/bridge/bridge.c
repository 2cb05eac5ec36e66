#include "bridge/bridge.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "proto/helper_options.h"
#include "bridge/outcome.h"

#define BACKLOG 64

struct bridge bridge;

const char *bridge_option(const char *key)
{
    return option_value(bridge.options, key);
}

int bridge_listen_in(int folder, const char *subfolder, const char *name, int type)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int length = snprintf(address.sun_path, sizeof address.sun_path, "%s/%s/%s", bridge.path,
                          subfolder, name);
    umask(0177);
    unlinkat(folder, name, 0);
    if (length >= (int)sizeof address.sun_path)
        snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", folder, name);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
        listen(fd, BACKLOG) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

int bridge_listen(const char *name, int type)
{
    return bridge_listen_in(bridge.folder, BRIDGE_FOLDER, name, type);
}

static int connect_to(const char *path, int flags)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    close(fd);
    return -1;
}

int bridge_connect(const char *path)
{
    return connect_to(path, 0);
}

int bridge_connect_now(const char *path)
{
    return connect_to(path, SOCK_NONBLOCK);
}

void bridge_unlink(const char *name)
{
    unlinkat(bridge.folder, name, 0);
}

int bridge_beside(const char *name, char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    path[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(path, '/');
    if (!slash || strlen(name) >= size - (size_t)(slash + 1 - path))
        return -1;
    strcpy(slash + 1, name);
    return 0;
}
