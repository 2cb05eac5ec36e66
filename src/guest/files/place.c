#include "guest/files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As the kernel has it (path_resolution(7)). */
#define LINKS_MAX 40

void fail(int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%d%c", error, '\0');
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\0', stderr);
    exit(1);
}

void fail_errno(int error)
{
    if (error == EXDEV)
        fail(error, "leads out of the project");
    fail(error, "%s", strerror(error));
}

int place_project(const char *project)
{
    int top = open(project, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (top < 0)
        fail_errno(errno);
    return top;
}

/* Puts TEXT and what is left of REST in front of it. */
static void prepend(char rest[PATH_MAX], const char *text, const char *behind)
{
    char whole[PATH_MAX];
    if (snprintf(whole, sizeof whole, "%s/%s", text, behind) >= (int)sizeof whole)
        fail_errno(ENAMETOOLONG);
    memcpy(rest, whole, strlen(whole) + 1);
}

/* Adds NAME to REAL. */
static void descend(char real[PATH_MAX], const char *name)
{
    size_t length = strlen(real), size = strlen(name);
    if (length + size + 2 > PATH_MAX)
        fail_errno(ENAMETOOLONG);
    if (length)
        real[length++] = '/';
    memcpy(real + length, name, size + 1);
}

static void ascend(char real[PATH_MAX])
{
    char *slash = strrchr(real, '/');
    if (!*real)
        fail_errno(EXDEV);
    *(slash ? slash : real) = '\0';
}

void place_resolve(int top, const char *path, char real[PATH_MAX])
{
    char rest[PATH_MAX], target[PATH_MAX];
    int links = 0;
    if (strlen(path) >= sizeof rest)
        fail_errno(ENAMETOOLONG);
    strcpy(rest, path);
    *real = '\0';
    for (char *name = rest; *name;) {
        char *slash = strchr(name, '/'), *behind = slash ? slash + 1 : strchr(name, '\0');
        if (slash)
            *slash = '\0';
        if (strcmp(name, "..") == 0) {
            ascend(real);
        } else if (*name && strcmp(name, ".") != 0) {
            size_t before = strlen(real);
            descend(real, name);
            ssize_t length = readlinkat(top, real, target, sizeof target - 1);
            if (length >= 0) {
                if (++links > LINKS_MAX)
                    fail_errno(ELOOP);
                target[length] = '\0';
                if (*target == '/')
                    fail_errno(EXDEV);
                real[before] = '\0';
                prepend(rest, target, behind);
                behind = rest;
            }
        }
        name = behind;
    }
    if (!*real)
        strcpy(real, ".");
}

int place_open(int top, const char *path, int flags)
{
    char real[PATH_MAX];
    place_resolve(top, path, real);
    return openat(top, real, flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY);
}

int place_make_parents(int top, const char *real)
{
    char above[PATH_MAX];
    snprintf(above, sizeof above, "%s", real);
    for (char *slash = strchr(above, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdirat(top, above, 0777) < 0 && errno != EEXIST)
            return -1;
        *slash = '/';
    }
    return 0;
}

char *read_all(int fd, size_t most, size_t *length)
{
    size_t room = 65536, used = 0;
    char *bytes = malloc(room + 1);
    for (;;) {
        ssize_t n = bytes ? read(fd, bytes + used, room - used) : -1;
        if (!bytes)
            fail_errno(ENOMEM);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            fail_errno(errno);
        used += (size_t)n;
        if (used > most)
            fail(EFBIG, "is larger than %zu bytes", most);
        if (n == 0)
            break;
        if (used == room)
            bytes = realloc(bytes, (room *= 2) + 1);
    }
    bytes[used] = '\0';
    *length = used;
    return bytes;
}

void put_text(const char *text)
{
    fwrite(text, 1, strlen(text) + 1, stdout);
}

void put_number(unsigned long long number)
{
    printf("%llu%c", number, '\0');
}
