#include "guest/files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* As long as the longest line that the server takes. */
#define INPUT_MAX ((size_t)8 << 20)

/* What is there, and where, behind all links. */
struct target {
    char path[PATH_MAX];
    mode_t mode;
    int exists;
};

/* Opening it for writing tells whether that is allowed: a new file in its place would not ask. */
static void find_target(int top, const char *path, struct target *target)
{
    struct stat st;
    place_resolve(top, path, target->path);
    int fd = place_open(top, target->path, O_WRONLY | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT)
        return;
    if (fd < 0 && errno == EISDIR)
        fail(EISDIR, "is a folder");
    if (fd < 0 || fstat(fd, &st) < 0)
        fail_errno(errno);
    if (!S_ISREG(st.st_mode))
        fail(0, "is no regular file");
    close(fd);
    target->exists = 1;
    target->mode = st.st_mode & 0777;
}

static int write_all(int fd, const char *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t n = write(fd, bytes + done, length - done);
        if (n < 0 && errno != EINTR)
            return -1;
        done += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* Stdin, which has EXPECTED bytes: it also ends when the call is cancelled, and what has come by
 * then is not to take the place of a file. */
static char *read_input(const char *expected, size_t *length)
{
    char *bytes = read_all(STDIN_FILENO, INPUT_MAX, length);
    if (*length != files_number(expected))
        fail(0, "was not written, as not all of the contents came");
    return bytes;
}

/* A name beside TARGET that nothing has: not even what a killed write has left. */
static void name_temporary(char *name, size_t size, const struct target *target)
{
    unsigned long long random;
    const char *slash = strrchr(target->path, '/');
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        fail_errno(errno);
    snprintf(name, size, "%.*s.litterbox-%016llx.tmp", slash ? (int)(slash + 1 - target->path) : 0,
             target->path, random);
}

/* The session of a call that is cancelled gets SIGHUP, that of one that takes too long SIGTERM. */
static void hold_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

/* Writes a new file, which then takes the place of the old one: it is there as a whole or not at
 * all, even on a full disk, and nothing else stays. Nobody reads it who could not read the old one.
 */
static void replace(int top, const struct target *target, const char *bytes, size_t length)
{
    char temporary[PATH_MAX + 64];
    name_temporary(temporary, sizeof temporary, target);
    hold_signals();
    int fd = openat(top, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                    target->exists ? 0600 : 0666);
    if (fd < 0)
        fail_errno(errno);
    if (write_all(fd, bytes, length) < 0 || (target->exists && fchmod(fd, target->mode) < 0) ||
        close(fd) < 0 || renameat(top, temporary, top, target->path) < 0) {
        int saved = errno;
        unlinkat(top, temporary, 0);
        fail_errno(saved);
    }
}

void files_write(int top, const char *path, char **argv)
{
    struct target target = {0};
    size_t length;
    char *bytes = read_input(argv[0], &length);
    find_target(top, path, &target);
    if (!target.exists && place_make_parents(top, target.path) < 0)
        fail_errno(errno);
    replace(top, &target, bytes, length);
    put_number(length);
    put_number((unsigned long long)!target.exists);
}

/* How many times OLD is in TEXT. */
static size_t count_places(const char *text, size_t length, const char *old, size_t size)
{
    size_t count = 0;
    const char *end = text + length, *at = text;
    while ((at = memmem(at, (size_t)(end - at), old, size))) {
        count++;
        at += size;
    }
    return count;
}

static char *substitute(const char *text, size_t *length, const char *old, size_t size,
                        const char *new, size_t new_size, size_t count)
{
    size_t result = *length - count * size + count * new_size;
    const char *end = text + *length;
    char *whole = malloc(result + 1), *to = whole;
    if (!whole)
        fail_errno(ENOMEM);
    for (const char *at; (at = memmem(text, (size_t)(end - text), old, size)); text = at + size) {
        to = mempcpy(to, text, (size_t)(at - text));
        to = mempcpy(to, new, new_size);
    }
    memcpy(to, text, (size_t)(end - text));
    *length = result;
    return whole;
}

void files_edit(int top, const char *path, char **argv)
{
    struct target target = {0};
    size_t given, length;
    char *old = read_input(argv[1], &given);
    size_t size = strlen(old);
    if (size == 0 || size >= given)
        fail(0, "there is no text to replace");
    find_target(top, path, &target);
    int fd = target.exists ? place_open(top, path, O_RDONLY | O_NONBLOCK) : -1;
    if (fd < 0)
        fail_errno(target.exists ? errno : ENOENT);
    char *text = read_all(fd, INPUT_MAX, &length);
    size_t count = count_places(text, length, old, size);
    if (count == 0)
        fail(0, "does not contain 'old': read it again, as it may have changed");
    if (count > 1 && argv[0][0] != '1')
        fail(0, "contains 'old' %zu times: give more of what is around it, or 'all'", count);
    char *whole = substitute(text, &length, old, size, old + size + 1, given - size - 1, count);
    replace(top, &target, whole, length);
    put_number(count);
}
