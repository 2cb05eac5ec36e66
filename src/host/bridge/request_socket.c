#include "host/bridge/request_socket.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/bridge/core/bridge.h"
#include "net/event_loop.h"
#include "proto/bridge_status.h"
#include "proto/desktop_answer.h"
#include "proto/desktop_request.h"
#include "sys/descriptors.h"

/* Who is connected and has not asked yet; a program asks at once. */
#define CLIENTS_MAX 16
#define PATIENCE_MS 2000

static struct client {
    struct event_watch watch;
    struct event_timer timer; /* runs as long as the place is taken */
} clients[CLIENTS_MAX];

static int launcher;

static void drop(struct client *self)
{
    event_watch_close(&self->watch);
    event_timer_stop(&self->timer);
}

/* One packet a connection. A length of more than the room for it is that of all of it. */
static void on_request(struct event_watch *watch, uint32_t events)
{
    struct client *self = watch->owner;
    int fd = watch->fd;
    static char data[REQUEST_MAX + 1];
    struct request asked;
    ssize_t length = recv(fd, data, sizeof data, MSG_DONTWAIT | MSG_TRUNC);
    if (length < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    const char *wrong = length > 0 ? request_parse(&asked, data, (size_t)length) : NULL;
    if (wrong)
        answer_send(fd, REQUEST_WRONG, wrong);
    else if (length > 0 && descriptors_send(launcher, data, (size_t)length, &fd, 1, 0) < 0)
        answer_send(fd, REQUEST_REFUSED, "too much is asked at once");
    drop(self);
}

static struct client *free_client(void)
{
    for (int i = 0; i < CLIENTS_MAX; i++)
        if (!clients[i].timer.due)
            return &clients[i];
    return NULL;
}

/* A client that sends nothing must not keep others out. */
static void on_timeout(struct event_timer *timer)
{
    drop(timer->owner);
}

static void on_connection(struct event_watch *listener, uint32_t events)
{
    int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct client *client = fd >= 0 ? free_client() : NULL;
    if (fd < 0)
        return;
    if (!client) {
        answer_send(fd, REQUEST_REFUSED, "too much is asked at once");
        close(fd);
        return;
    }
    client->watch = (struct event_watch){.fd = fd, .ready = on_request, .owner = client};
    client->timer = (struct event_timer){.expired = on_timeout, .owner = client};
    event_timer_set(&client->timer, PATIENCE_MS);
    event_watch_set(&client->watch, EPOLLIN);
}

int door_is_wanted(void)
{
    return bridge.settings.open != OPEN_DENY || bridge.settings.notify;
}

/* Without it no desktop request can be served. */
static void on_launcher(struct event_watch *self, uint32_t events)
{
    bridge_fail("launcher");
}

int door_begin(int to)
{
    static struct event_watch door = {.ready = on_connection}, to_launcher = {.ready = on_launcher};
    if (!door_is_wanted())
        return 0;
    launcher = to_launcher.fd = to;
    door.fd = bridge_listen(BRIDGE_FOLDER "/" REQUEST_SOCKET, SOCK_SEQPACKET);
    if (launcher < 0 || door.fd < 0)
        return -1;
    event_watch_set(&door, EPOLLIN);
    event_watch_set(&to_launcher, EPOLLIN);
    return 1;
}

void door_end(void)
{
    bridge_unlink(REQUEST_SOCKET);
}
