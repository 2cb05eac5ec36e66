#include "host/bridge/clipboard/pipes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/byte_queue.h"
#include "net/event_loop.h"
#include "sys/clock.h"

/* Who does nothing for so long has nothing, or wants nothing; nor may it take longer in all. */
#define QUIET_MS 5000
#define LATE_MS 30000
#define READ_SIZE ((size_t)64 * 1024)

struct pipe_end {
    int is_used;
    struct event_watch watch;
    int64_t quiet, late;
    struct exchange_content content; /* to be written, */
    size_t sent;                     /* of which so much is */
};

static struct pipe_end reader, writers[EXCHANGE_WAITING_MAX];
static struct byte_queue read_so_far;
static int read_kind;
static void (*read_done)(int kind, unsigned char *data, size_t length);

static void take(struct pipe_end *self, int fd)
{
    int64_t now = clock_ms();
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    *self = (struct pipe_end){.is_used = 1,
                              .watch = {.fd = fd, .owner = self},
                              .quiet = now + QUIET_MS,
                              .late = now + LATE_MS};
}

static void drop(struct pipe_end *self)
{
    if (!self->is_used)
        return;
    event_watch_close(&self->watch);
    free(self->content.data);
    *self = (struct pipe_end){0};
}

void pipes_forget(void)
{
    drop(&reader);
    byte_queue_clear(&read_so_far);
}

static void end_reading(int is_well)
{
    struct byte_queue data = read_so_far;
    read_so_far = (struct byte_queue){0};
    drop(&reader);
    if (!is_well)
        byte_queue_clear(&data);
    read_done(read_kind, data.data, data.length);
}

static void on_readable(struct event_watch *watch, uint32_t events)
{
    unsigned char *room = byte_queue_reserve(&read_so_far, READ_SIZE);
    ssize_t n = room ? read(watch->fd, room, READ_SIZE) : -1;
    if (n < 0 && room && (errno == EAGAIN || errno == EINTR))
        return;
    reader.quiet = clock_ms() + QUIET_MS;
    read_so_far.length += n > 0 ? (size_t)n : 0;
    if (n <= 0 || read_so_far.length > CLIP_MAX)
        end_reading(n == 0 && read_so_far.length > 0);
}

void pipes_read(int fd, int kind, void (*done)(int kind, unsigned char *data, size_t length))
{
    pipes_forget();
    take(&reader, fd);
    read_so_far.limit = CLIP_MAX + READ_SIZE;
    read_kind = kind;
    read_done = done;
    reader.watch.ready = on_readable;
    if (event_watch_set(&reader.watch, EPOLLIN) < 0)
        end_reading(0);
}

int pipes_reserve(int fd)
{
    for (int place = 0; place < EXCHANGE_WAITING_MAX; place++) {
        if (writers[place].is_used)
            continue;
        take(&writers[place], fd);
        return place;
    }
    close(fd);
    return -1;
}

static void on_writable(struct event_watch *watch, uint32_t events)
{
    struct pipe_end *self = watch->owner;
    size_t left = self->content.length - self->sent;
    ssize_t n = write(watch->fd, self->content.data + self->sent, left);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    self->quiet = clock_ms() + QUIET_MS;
    self->sent += n > 0 ? (size_t)n : 0;
    if (n < 0 || self->sent == self->content.length)
        drop(self);
}

void pipes_write(int place, const unsigned char *data, size_t length)
{
    struct pipe_end *self = &writers[place];
    self->content.data = data ? malloc(length) : NULL;
    self->content.length = length;
    if (self->content.data)
        memcpy(self->content.data, data, length);
    self->watch.ready = on_writable;
    if (!self->content.data) {
        drop(self);
    } else if (event_watch_set(&self->watch, EPOLLOUT) < 0) {
        /* A regular file, which is always ready (epoll_ctl(2)), or no memory. */
        for (int is_file = errno == EPERM; is_file && self->is_used;)
            on_writable(&self->watch, EPOLLOUT);
        drop(self);
    }
}

static int64_t expire(const struct pipe_end *self)
{
    return !self->is_used ? INT64_MAX : self->quiet < self->late ? self->quiet : self->late;
}

int pipes_due(int64_t now)
{
    if (now >= expire(&reader))
        end_reading(0);
    int64_t next = expire(&reader);
    for (int place = 0; place < EXCHANGE_WAITING_MAX; place++) {
        if (now >= expire(&writers[place]))
            drop(&writers[place]);
        if (expire(&writers[place]) < next)
            next = expire(&writers[place]);
    }
    return next == INT64_MAX ? -1 : next > now ? (int)(next - now) : 0;
}
