#include "net/event_clients.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* Before the next try to accept when the machine has no descriptor or memory for it. */
#define RETRY_MS 100

void event_client_end(struct event_client *client)
{
    struct event_clients *all = client->all;
    event_timer_stop(&client->timer);
    event_watch_close(&client->watch);
    if (all->ended)
        all->ended(client);
    free(client);
    all->count--;
    event_watch_set(&all->listener, EPOLLIN);
}

static void late(struct event_timer *timer)
{
    event_client_end(timer->owner);
}

static void pause_over(struct event_timer *timer)
{
    struct event_clients *self = timer->owner;
    event_watch_set(&self->listener, self->count < self->most ? EPOLLIN : 0);
}

/* A connection that cannot be accepted stays in the queue, and would be reported without end. */
static void pause_accepting(struct event_clients *self)
{
    event_watch_set(&self->listener, 0);
    event_timer_set(&self->pause, RETRY_MS);
}

static void accept_client(struct event_watch *listener, uint32_t events)
{
    struct event_clients *self = listener->owner;
    int fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    struct event_client *client = fd < 0 ? NULL : calloc(1, self->size);
    if (!client) {
        if (fd >= 0)
            close(fd);
        pause_accepting(self);
        return;
    }
    client->watch = (struct event_watch){.fd = fd, .ready = self->ready, .owner = client};
    client->timer = (struct event_timer){.expired = late, .owner = client};
    client->all = self;
    event_watch_set(&client->watch, EPOLLIN);
    event_timer_set(&client->timer, self->ms);
    if (++self->count == self->most)
        event_watch_set(listener, 0);
}

int event_clients_start(struct event_clients *self, int listener)
{
    self->listener = (struct event_watch){.fd = listener, .ready = accept_client, .owner = self};
    self->pause = (struct event_timer){.expired = pause_over, .owner = self};
    return event_watch_set(&self->listener, EPOLLIN);
}
