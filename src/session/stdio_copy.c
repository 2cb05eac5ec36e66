#include "session/stdio_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "session/terminal.h"

#define PIPE_SIZE (1 << 20)
/* Of what was written before a session's end, which fits into the pipe: a multiple of the reads
 * that this takes. What the session has left running may write for ever. */
#define DRAIN_READS 256

/* /dev/null, zero, full, random, urandom: Linux's memory devices. */
static int is_plain_device(const struct stat *st)
{
    unsigned minor_number = minor(st->st_rdev);
    return major(st->st_rdev) == 1 &&
           (minor_number == 3 || minor_number == 5 || (minor_number >= 7 && minor_number <= 9));
}

/*
 * 1 for a connected Unix stream socket, which can only talk to its peer. A box could connect any
 * other socket anew: one of the network keeps the host's network namespace, also in a box that has
 * no network, and a Unix datagram socket may choose the receiver of each message.
 */
static int is_unix_connection(int fd)
{
    int type = 0;
    struct sockaddr_storage peer = {.ss_family = AF_UNSPEC};
    socklen_t type_length = sizeof type, length = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_length) == 0 && type == SOCK_STREAM &&
           getpeername(fd, (struct sockaddr *)&peer, &length) == 0 && peer.ss_family == AF_UNIX;
}

/* 1 when FD may be given to a box; everything else is relayed. */
static int may_enter(int fd)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return 0;
    return S_ISFIFO(st.st_mode) || (S_ISSOCK(st.st_mode) && is_unix_connection(fd)) ||
           (S_ISCHR(st.st_mode) && is_plain_device(&st));
}

static int prepare_copy(int fd, int *give, struct stdio_copy *copy)
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
    copy->pump.from = input ? fd : ours;
    copy->pump.to = input ? ours : fd;
    return 0;
}

/* In place of a descriptor that is closed. */
static int open_nothing(int fd)
{
    return open("/dev/null", (fd == STDIN_FILENO ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
}

int stdio_copy_prepare_one(int fd, int *give, struct stdio_copy *copy)
{
    if (may_enter(fd))
        *give = fd;
    else if (fcntl(fd, F_GETFD) < 0)
        *give = open_nothing(fd);
    else if (prepare_copy(fd, give, copy) < 0)
        return -1;
    return *give < 0 ? -1 : 0;
}

static void reset(int fds[3], struct stdio_copy copies[3])
{
    for (int fd = 0; fd < 3; fd++) {
        copies[fd] = (struct stdio_copy){.pump = {.from = -1, .to = -1}};
        fds[fd] = -1;
    }
}

int stdio_copy_prepare_collected(int fds[3], struct stdio_copy copies[3],
                                 void (*collect)(int fd, const char *bytes, size_t length,
                                                 void *data),
                                 void *data)
{
    reset(fds, copies);
    if (stdio_copy_prepare_one(STDIN_FILENO, &fds[0], &copies[0]) < 0)
        return -1;
    for (int fd = 1; fd < 3; fd++) {
        copies[fd].collect = collect;
        copies[fd].data = data;
        copies[fd].fd = fd;
        if (prepare_copy(fd, &fds[fd], &copies[fd]) < 0)
            return -1;
    }
    return 0;
}

int stdio_copy_prepare(int fds[3], struct stdio_copy copies[3])
{
    reset(fds, copies);
    for (int fd = 0; fd < 3; fd++) {
        if (stdio_copy_prepare_one(fd, &fds[fd], &copies[fd]) < 0)
            return -1;
    }
    return 0;
}

int stdio_copy_count(const int fds[3])
{
    int count = 0;
    while (count < 3 && fds[count] >= 0)
        count++;
    return count;
}

void stdio_copy_sent(int fds[3])
{
    for (int i = 0; i < 3; i++) {
        if (fds[i] > 2)
            close(fds[i]);
        fds[i] = -1;
    }
}

struct pollfd stdio_copy_poll(const struct stdio_copy *self)
{
    const struct pump *pump = &self->pump;
    if (pump->chunk)
        return (struct pollfd){.fd = pump->to, .events = POLLOUT};
    return (struct pollfd){.fd = pump->from, .events = POLLIN};
}

/* Not 0, 1 and 2, which belong to this process. */
static void close_ours(int fd)
{
    if (fd > 2)
        close(fd);
}

void stdio_copy_close(struct stdio_copy *self)
{
    close_ours(self->pump.from);
    close_ours(self->pump.to);
    pump_clear(&self->pump);
}

/* A terminal gets what passes its filter at once, as it may be more than was read. */
static int show_chunk(struct stdio_copy *self)
{
    struct pump *pump = &self->pump;
    int shown = screen_show(self->screen, pump->chunk, pump->end);
    screen_show_copy(self->screen);
    pump->begin = pump->end;
    return shown < 0 || pump_write(pump) < 0 ? -1 : 0;
}

static int collect_chunk(struct stdio_copy *self)
{
    struct pump *pump = &self->pump;
    self->collect(self->fd, pump->chunk + pump->begin, pump->end - pump->begin, self->data);
    pump->begin = pump->end;
    return pump_write(pump);
}

/* One read or one write: a terminal or a file that is written to may block. */
void stdio_copy_step(struct stdio_copy *self)
{
    struct pump *pump = &self->pump;
    if (pump->from < 0)
        return;
    int is_read = !pump->chunk;
    int done = is_read ? pump_read(pump) : pump_write(pump);
    if (is_read && done > 0 && self->screen)
        done = show_chunk(self);
    else if (is_read && done > 0 && self->collect)
        done = collect_chunk(self);
    /* Closes both ends, so that a writer notices that its reader has gone. */
    if (done < 0 || pump->has_ended)
        stdio_copy_close(self);
}

void stdio_copy_drain(struct stdio_copy *self)
{
    for (int reads = 0; self->pump.from >= 0 && (reads < DRAIN_READS || self->pump.chunk);) {
        struct pollfd next = stdio_copy_poll(self);
        if (poll(&next, 1, next.events == POLLOUT ? -1 : 0) <= 0)
            break;
        reads += next.events == POLLIN;
        stdio_copy_step(self);
    }
    stdio_copy_close(self);
}
