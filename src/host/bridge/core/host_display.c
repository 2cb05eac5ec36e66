#include "host/bridge/core/host_display.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/bridge/core/xauthority.h"

#define FOLDER "/tmp/.X11-unix"
/* .Xauthority may have entries of many old displays. */
#define FILE_MAX (256 * 1024)

int host_display_number(char number[HOST_DISPLAY_MAX])
{
    const char *name = getenv("DISPLAY");
    if (name && strncmp(name, "unix:", 5) == 0)
        name += 4;
    size_t digits = name && *name == ':' ? strspn(name + 1, "0123456789") : 0;
    if (digits == 0 || digits > 5 || (name[1 + digits] && name[1 + digits] != '.'))
        return -1;
    snprintf(number, HOST_DISPLAY_MAX, "%.*s", (int)digits, name + 1);
    return 0;
}

int host_display_socket(char *path, size_t size)
{
    char number[HOST_DISPLAY_MAX];
    if (host_display_number(number) < 0)
        return -1;
    snprintf(path, size, FOLDER "/X%s", number);
    return access(path, F_OK);
}

static ssize_t read_file(unsigned char *data, size_t size)
{
    const char *given = getenv("XAUTHORITY"), *home = getenv("HOME");
    char path[PATH_MAX];
    size_t length = 0;
    if (given && *given)
        snprintf(path, sizeof path, "%s", given);
    else
        snprintf(path, sizeof path, "%s/.Xauthority", home ? home : "");
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd < 0 ? -1 : 1;
    while (n > 0 && length < size) {
        n = read(fd, data + length, size - length);
        length += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0)
        close(fd);
    return n < 0 ? -1 : (ssize_t)length;
}

int host_display_cookie(unsigned char *cookie)
{
    char number[HOST_DISPLAY_MAX], host[HOST_NAME_MAX + 1];
    unsigned char *data = malloc(FILE_MAX);
    ssize_t length = data ? read_file(data, FILE_MAX) : -1;
    const unsigned char *found = NULL;
    if (length > 0 && host_display_number(number) == 0 && gethostname(host, sizeof host) == 0)
        found = xauthority_find(data, (size_t)length, host, number);
    if (found)
        memcpy(cookie, found, XAUTHORITY_COOKIE);
    if (data)
        explicit_bzero(data, FILE_MAX);
    free(data);
    return found ? 0 : -1;
}
