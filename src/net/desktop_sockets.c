#include "net/desktop_sockets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNIX_PREFIX "unix:"

int desktop_wayland_socket(char *path, size_t size)
{
    const char *name = getenv("WAYLAND_DISPLAY"), *runtime = getenv("XDG_RUNTIME_DIR");
    if (!name || !*name || (*name != '/' && !runtime))
        return -1;
    int length = *name == '/' ? snprintf(path, size, "%s", name)
                              : snprintf(path, size, "%s/%s", runtime, name);
    return length > 0 && (size_t)length < size ? access(path, R_OK | W_OK) : -1;
}

/* The path in SERVER: "unix:/path" or "/path", either with "{machine}" in front. NULL for anything
 * else, a list of servers included. */
static const char *path_of_server(const char *server)
{
    const char *end = *server == '{' ? strchr(server, '}') : NULL;
    if (end)
        server = end + 1;
    if (strncmp(server, UNIX_PREFIX, strlen(UNIX_PREFIX)) == 0)
        server += strlen(UNIX_PREFIX);
    return *server == '/' && !strchr(server, ' ') ? server : NULL;
}

int desktop_sound_socket(char *path, size_t size)
{
    const char *server = getenv("PULSE_SERVER"), *folder = getenv("PULSE_RUNTIME_PATH");
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    int length = -1;
    if (server && *server)
        length = path_of_server(server) ? snprintf(path, size, "%s", path_of_server(server)) : -1;
    else if (folder && *folder == '/')
        length = snprintf(path, size, "%s/native", folder);
    else if (runtime && *runtime == '/')
        length = snprintf(path, size, "%s/pulse/native", runtime);
    return length < 0 || (size_t)length >= size ? -1 : access(path, F_OK);
}

int desktop_bus_is_socket(const char *addresses)
{
    while (strncmp(addresses, UNIX_PREFIX, strlen(UNIX_PREFIX)) == 0) {
        const char *end = strchr(addresses, ';');
        if (!end)
            return 1;
        addresses = end + 1;
    }
    return 0;
}
