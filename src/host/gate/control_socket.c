#include "host/gate/control_socket.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/event_loop.h"

struct client {
    struct event_watch watch;
    struct event_timer timer;
    char *answer;
    size_t length, sent;
};

static struct event_watch listener;
static void (*make_answer)(int request, FILE *out);
static void (*when_answered)(void);
static int clients;

static void client_end(struct client *self)
{
    event_timer_stop(&self->timer);
    event_watch_close(&self->watch);
    free(self->answer);
    free(self);
    if (clients-- == CONTROL_CLIENTS_MAX)
        event_watch_set(&listener, EPOLLIN);
    when_answered();
}

static void client_late(struct event_timer *timer)
{
    client_end(timer->owner);
}

static void write_answer(struct event_watch *watch, uint32_t events)
{
    struct client *self = watch->owner;
    while (self->sent < self->length) {
        ssize_t sent = send(watch->fd, self->answer + self->sent, self->length - self->sent,
                            MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
            event_watch_set(watch, EPOLLOUT);
            return;
        }
        if (sent < 0)
            break;
        self->sent += (size_t)sent;
    }
    client_end(self);
}

static void read_request(struct event_watch *watch, uint32_t events)
{
    struct client *self = watch->owner;
    unsigned char request;
    ssize_t got = recv(watch->fd, &request, 1, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    FILE *out = got == 1 ? open_memstream(&self->answer, &self->length) : NULL;
    if (out) {
        make_answer(request, out);
        if (fclose(out) == 0) {
            watch->ready = write_answer;
            write_answer(watch, 0);
            return;
        }
    }
    client_end(self);
}

static void accept_client(struct event_watch *watch, uint32_t events)
{
    int fd = accept4(watch->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    struct client *self = fd < 0 ? NULL : calloc(1, sizeof *self);
    if (!self) {
        if (fd >= 0)
            close(fd);
        return;
    }
    self->watch = (struct event_watch){.fd = fd, .ready = read_request, .owner = self};
    self->timer = (struct event_timer){.expired = client_late, .owner = self};
    event_timer_set(&self->timer, CONTROL_CLIENT_MS);
    event_watch_set(&self->watch, EPOLLIN);
    if (++clients == CONTROL_CLIENTS_MAX)
        event_watch_set(&listener, 0);
}

int control_socket_start(int fd, void (*answer)(int request, FILE *out), void (*answered)(void))
{
    make_answer = answer;
    when_answered = answered;
    listener = (struct event_watch){.fd = fd, .ready = accept_client};
    return event_watch_set(&listener, EPOLLIN);
}
