#include "bridge/sound_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SOCKET "native"

/* Of "unix:/path", "/path", each with "{machine}" in front or not. */
static const char *path_of(const char *server)
{
    const char *end = *server == '{' ? strchr(server, '}') : NULL;
    if (end)
        server = end + 1;
    if (strncmp(server, "unix:", 5) == 0)
        server += 5;
    return *server == '/' && !strchr(server, ' ') ? server : NULL;
}

int sound_host_socket(char *path, size_t size)
{
    const char *server = getenv("PULSE_SERVER"), *folder = getenv("PULSE_RUNTIME_PATH");
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    int length = -1;
    if (server && *server)
        length = path_of(server) ? snprintf(path, size, "%s", path_of(server)) : -1;
    else if (folder && *folder == '/')
        length = snprintf(path, size, "%s/" SOCKET, folder);
    else if (runtime && *runtime == '/')
        length = snprintf(path, size, "%s/pulse/" SOCKET, runtime);
    return length < 0 || (size_t)length >= size ? -1 : access(path, F_OK);
}
