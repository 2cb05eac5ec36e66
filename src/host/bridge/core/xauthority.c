#include "host/bridge/core/xauthority.h"

#include <fcntl.h>
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
