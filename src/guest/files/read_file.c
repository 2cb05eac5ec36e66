#include "guest/files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A part of a file. */
struct part {
    unsigned long skip, lines; /* lines in front of it; lines of it */
    size_t most;               /* bytes of it */
    char *bytes;
    size_t length;
    unsigned long count; /* lines that are in BYTES, an unfinished one included */
    int open_line;       /* the last one has no end yet */
    int more;            /* something comes behind it */
};

/* Takes what of CHUNK belongs to the part. 0 when the part is complete. */
static int take(struct part *self, const char *chunk, size_t length)
{
    size_t at = 0;
    while (self->skip > 0 && at < length) {
        const char *end = memchr(chunk + at, '\n', length - at);
        if (!end)
            return 1;
        at = (size_t)(end - chunk) + 1;
        self->skip--;
    }
    while (at < length) {
        if (!self->open_line && self->count == self->lines)
            break;
        const char *end = memchr(chunk + at, '\n', length - at);
        size_t size = end ? (size_t)(end - chunk) + 1 - at : length - at;
        size_t room = self->most - self->length;
        size_t taken = size < room ? size : room;
        memcpy(self->bytes + self->length, chunk + at, taken);
        self->length += taken;
        self->count += !self->open_line && taken > 0;
        self->open_line = !end && taken > 0;
        at += taken;
        if (taken < size)
            break;
    }
    self->more = at < length;
    return !self->more;
}

static void read_part(int fd, struct part *self)
{
    char chunk[65536];
    ssize_t n;
    while ((n = read(fd, chunk, sizeof chunk)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            fail_errno(errno);
        if (!take(self, chunk, (size_t)n))
            return;
    }
}

void files_read(int top, const char *path, char **argv)
{
    struct stat st;
    struct part part = {.skip = files_number(argv[0]) - 1,
                        .lines = files_number(argv[1]),
                        .most = files_number(argv[2])};
    /* O_NONBLOCK: a FIFO would wait for a writer. */
    int fd = place_open(top, path, O_RDONLY | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) < 0)
        fail_errno(errno);
    if (S_ISDIR(st.st_mode))
        fail(EISDIR, "is a folder: use 'list'");
    if (!S_ISREG(st.st_mode))
        fail(0, "is no regular file");
    if (!(part.bytes = malloc(part.most)))
        fail_errno(ENOMEM);
    unsigned long first = part.skip + 1;
    read_part(fd, &part);
    put_number((unsigned long long)st.st_size);
    put_number(first);
    put_number(part.count);
    put_number((unsigned long long)part.more);
    fwrite(part.bytes, 1, part.length, stdout);
}
