#include "host/bridge/clipboard/pipes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/byte_queue.h"
#include "net/event_loop.h"
#include "sys/clock.h"

/* The longest time without progress, and in all. */
#define PIPE_IDLE_MS 5000
#define PIPE_TOTAL_MS 30000
#define READ_SIZE ((size_t)64 * 1024)

struct pipe_state {
    int is_used;
    struct event_watch watch;
    int64_t idle_deadline, deadline;
    struct exchange_content content; /* to be written */
    size_t sent;                     /* bytes that are written */
};

static struct pipe_state reader, writers[EXCHANGE_WAITING_MAX];
static struct byte_queue read_so_far;
static int read_kind;
static void (*read_done)(int kind, unsigned char *data, size_t length);

static void pipe_open(struct pipe_state *self, int fd)
{
    int64_t now = clock_ms();
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    *self = (struct pipe_state){.is_used = 1,
                                .watch = {.fd = fd, .owner = self},
                                .idle_deadline = now + PIPE_IDLE_MS,
                                .deadline = now + PIPE_TOTAL_MS};
}

static void pipe_close(struct pipe_state *self)
{
    if (!self->is_used)
        return;
    event_watch_close(&self->watch);
    free(self->content.data);
    *self = (struct pipe_state){0};
}

void pipes_cancel_read(void)
{
    pipe_close(&reader);
    byte_queue_clear(&read_so_far);
}

static void end_reading(int is_complete)
{
    struct byte_queue data = read_so_far;
    read_so_far = (struct byte_queue){0};
    pipe_close(&reader);
    if (!is_complete)
        byte_queue_clear(&data);
    read_done(read_kind, data.data, data.length);
}

static void on_readable(struct event_watch *watch, uint32_t events)
{
    unsigned char *room = byte_queue_reserve(&read_so_far, READ_SIZE);
    ssize_t n = room ? read(watch->fd, room, READ_SIZE) : -1;
    if (n < 0 && room && (errno == EAGAIN || errno == EINTR))
        return;
    reader.idle_deadline = clock_ms() + PIPE_IDLE_MS;
    read_so_far.length += n > 0 ? (size_t)n : 0;
    if (n <= 0 || read_so_far.length > CLIP_MAX)
        end_reading(n == 0 && read_so_far.length > 0);
}

void pipes_read(int fd, int kind, void (*done)(int kind, unsigned char *data, size_t length))
{
    pipes_cancel_read();
    pipe_open(&reader, fd);
    read_so_far.limit = CLIP_MAX + READ_SIZE;
    read_kind = kind;
    read_done = done;
    reader.watch.ready = on_readable;
    if (event_watch_set(&reader.watch, EPOLLIN) < 0)
        end_reading(0);
}

int pipes_add_writer(int fd)
{
    for (int writer = 0; writer < EXCHANGE_WAITING_MAX; writer++) {
        if (writers[writer].is_used)
            continue;
        pipe_open(&writers[writer], fd);
        return writer;
    }
    close(fd);
    return -1;
}

static void on_writable(struct event_watch *watch, uint32_t events)
{
    struct pipe_state *self = watch->owner;
    size_t left = self->content.length - self->sent;
    ssize_t n = write(watch->fd, self->content.data + self->sent, left);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    self->idle_deadline = clock_ms() + PIPE_IDLE_MS;
    self->sent += n > 0 ? (size_t)n : 0;
    if (n < 0 || self->sent == self->content.length)
        pipe_close(self);
}

void pipes_write(int writer, const unsigned char *data, size_t length)
{
    struct pipe_state *self = &writers[writer];
    self->content.data = data ? malloc(length) : NULL;
    self->content.length = length;
    if (self->content.data)
        memcpy(self->content.data, data, length);
    self->watch.ready = on_writable;
    if (!self->content.data) {
        pipe_close(self);
    } else if (event_watch_set(&self->watch, EPOLLOUT) < 0) {
        /* A regular file, which is always ready (epoll_ctl(2)), or no memory. */
        for (int is_file = errno == EPERM; is_file && self->is_used;)
            on_writable(&self->watch, EPOLLOUT);
        pipe_close(self);
    }
}

static int64_t expire(const struct pipe_state *self)
{
    return !self->is_used                         ? INT64_MAX
           : self->idle_deadline < self->deadline ? self->idle_deadline
                                                  : self->deadline;
}

int pipes_due(int64_t now)
{
    if (now >= expire(&reader))
        end_reading(0);
    int64_t next = expire(&reader);
    for (int writer = 0; writer < EXCHANGE_WAITING_MAX; writer++) {
        if (now >= expire(&writers[writer]))
            pipe_close(&writers[writer]);
        if (expire(&writers[writer]) < next)
            next = expire(&writers[writer]);
    }
    return next == INT64_MAX ? -1 : next > now ? (int)(next - now) : 0;
}
