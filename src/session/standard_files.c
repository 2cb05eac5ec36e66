#include "session/standard_files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "session/terminal.h"

#define PIPE_SIZE (1 << 20)

/* /dev/null, zero, full, random, urandom: Linux's memory devices. */
static int is_plain_device(const struct stat *st)
{
    unsigned minor_number = minor(st->st_rdev);
    return major(st->st_rdev) == 1 &&
           (minor_number == 3 || minor_number == 5 || (minor_number >= 7 && minor_number <= 9));
}

int stdio_harmless(int fd)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return 0;
    return S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) ||
           (S_ISCHR(st.st_mode) && is_plain_device(&st));
}

static int make_relay(int fd, int *give, struct relay *relay)
{
    int ends[2];
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    int input = fd == STDIN_FILENO;
    int ours = input ? ends[1] : ends[0];
    fcntl(ours, F_SETPIPE_SZ, PIPE_SIZE); /* fewer wake-ups; a lower limit does no harm */
    fcntl(ours, F_SETFL, O_NONBLOCK);
    *give = input ? ends[0] : ends[1];
    relay->from = input ? fd : ours;
    relay->to = input ? ours : fd;
    relay->buffer = malloc(STDIO_BUFFER);
    return relay->buffer ? 0 : -1;
}

/* What a closed descriptor would be in any program: nothing to read, nowhere to write. */
static int open_nothing(int fd)
{
    return open("/dev/null", (fd == STDIN_FILENO ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
}

int stdio_prepare(int fds[3], struct relay relays[3])
{
    for (int fd = 0; fd < 3; fd++) {
        relays[fd] = (struct relay){.from = -1, .to = -1};
        fds[fd] = -1;
    }
    for (int fd = 0; fd < 3; fd++) {
        if (stdio_harmless(fd))
            fds[fd] = fd;
        else if (fcntl(fd, F_GETFD) < 0)
            fds[fd] = open_nothing(fd);
        else if (make_relay(fd, &fds[fd], &relays[fd]) < 0)
            return -1;
        if (fds[fd] < 0)
            return -1;
    }
    return 0;
}

void stdio_sent(int fds[3])
{
    for (int i = 0; i < 3; i++) {
        if (fds[i] > 2)
            close(fds[i]);
        fds[i] = -1;
    }
}

void relay_poll(const struct relay *self, struct pollfd *poll)
{
    int full = self->end > self->start;
    *poll = (struct pollfd){.fd = -1};
    if (self->from < 0 || (self->done && !full))
        return;
    poll->fd = full ? self->to : self->from;
    poll->events = full ? POLLOUT : POLLIN;
}

/* Ours alone: 0, 1 and 2 stay open, whoever reads them next. */
static void close_ours(int fd)
{
    if (fd > 2)
        close(fd);
}

void relay_close(struct relay *self)
{
    if (self->from >= 0) {
        close_ours(self->from);
        close_ours(self->to);
        free(self->buffer);
    }
    *self = (struct relay){.from = -1, .to = -1};
}

static int is_passing(int error)
{
    return error == EAGAIN || error == EINTR;
}

void relay_step(struct relay *self)
{
    if (self->from < 0)
        return;
    if (self->end == self->start && !self->done) {
        ssize_t n = read(self->from, self->buffer, STDIO_BUFFER);
        if (n < 0 && is_passing(errno))
            return;
        self->start = 0;
        self->end = n > 0 ? (size_t)n : 0;
        self->done = n <= 0;
        if (self->screen)
            screen_watch(self->screen, self->buffer, self->end);
    } else if (self->end > self->start) {
        ssize_t n = write(self->to, self->buffer + self->start, self->end - self->start);
        if (n < 0 && is_passing(errno))
            return;
        /* When the reader is gone, the writer has to learn it. */
        self->done = self->done || n < 0;
        self->start = n < 0 ? self->end : self->start + (size_t)n;
    }
    if (self->done && self->end == self->start)
        relay_close(self);
}

void relay_drain(struct relay *self)
{
    while (self->from >= 0) {
        struct pollfd next;
        relay_poll(self, &next);
        int writing = next.events == POLLOUT;
        if (next.fd < 0 || poll(&next, 1, writing ? -1 : 0) <= 0)
            break;
        relay_step(self);
    }
    relay_close(self);
}
