#include "host/bridge/core/x_display.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FAMILY_LOCAL 256
#define FAMILY_WILD 65535
#define NAME "MIT-MAGIC-COOKIE-1"

struct field {
    const unsigned char *bytes;
    size_t length;
};
enum { ADDRESS, NUMBER, COOKIE_NAME, COOKIE, N_FIELDS };

static unsigned char *put(unsigned char *at, const void *bytes, size_t length)
{
    at[0] = (unsigned char)(length >> 8);
    at[1] = (unsigned char)length;
    memcpy(at + 2, bytes, length);
    return at + 2 + length;
}

void xauthority_write(unsigned char entry[XAUTHORITY_ENTRY],
                      const unsigned char cookie[XAUTHORITY_COOKIE])
{
    entry[0] = entry[1] = 0xff;
    unsigned char *at = put(put(entry + 2, "", 0), "", 0);
    put(put(at, NAME, strlen(NAME)), cookie, XAUTHORITY_COOKIE);
}

int xauthority_save(int folder, const char *path, const unsigned char cookie[XAUTHORITY_COOKIE])
{
    unsigned char entry[XAUTHORITY_ENTRY];
    xauthority_write(entry, cookie);
    int fd = openat(folder, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    ssize_t n = fd < 0 ? -1 : write(fd, entry, sizeof entry);
    if (fd >= 0)
        close(fd);
    return n == sizeof entry ? 0 : -1;
}

static int read_number(const unsigned char **at, const unsigned char *end)
{
    if (end - *at < 2)
        return -1;
    int number = (*at)[0] << 8 | (*at)[1];
    *at += 2;
    return number;
}

static int read_field(const unsigned char **at, const unsigned char *end, struct field *field)
{
    int length = read_number(at, end);
    if (length < 0 || length > end - *at)
        return -1;
    *field = (struct field){*at, (size_t)length};
    *at += length;
    return 0;
}

static int field_is(const struct field *field, const char *text)
{
    return field->length == strlen(text) && memcmp(field->bytes, text, field->length) == 0;
}

const unsigned char *xauthority_find(const unsigned char *data, size_t length, const char *host,
                                     const char *number)
{
    const unsigned char *at = data, *end = data + length;
    while (at < end) {
        struct field fields[N_FIELDS];
        int family = read_number(&at, end);
        for (int i = 0; i < N_FIELDS; i++) {
            if (family < 0 || read_field(&at, end, &fields[i]) < 0)
                return NULL;
        }
        if ((family == FAMILY_WILD ||
             (family == FAMILY_LOCAL && field_is(&fields[ADDRESS], host))) &&
            (fields[NUMBER].length == 0 || field_is(&fields[NUMBER], number)) &&
            field_is(&fields[COOKIE_NAME], NAME) && fields[COOKIE].length == XAUTHORITY_COOKIE)
            return fields[COOKIE].bytes;
    }
    return NULL;
}

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
