#include "common/wayland_socket.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int wayland_socket_path(char *path, size_t size)
{
    const char *name = getenv("WAYLAND_DISPLAY"), *where = getenv("XDG_RUNTIME_DIR");
    if (!name || !*name || (*name != '/' && !where))
        return -1;
    int length = *name == '/' ? snprintf(path, size, "%s", name)
                              : snprintf(path, size, "%s/%s", where, name);
    return length > 0 && (size_t)length < size ? access(path, R_OK | W_OK) : -1;
}
