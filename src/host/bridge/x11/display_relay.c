#include "host/bridge/x11/display_relay.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/event_loop.h"
#include "net/stream_relay.h"
#include "net/unix_socket.h"

/* Most clients at a time: an X server has 256 places for all programs of the desktop. */
#define CLIENTS_MAX 64

enum { CLIENT, SERVER };

struct connection {
    struct event_watch side[2];
    struct stream_relay relay;
};

static const char *server_path;
static struct event_watch listener;
static int n_connections;

/* Waits for clients while there is room, and ends when there is none left. */
static void update(void)
{
    event_watch_set(&listener, n_connections < CLIENTS_MAX ? EPOLLIN : 0);
    if (n_connections == 0)
        event_loop_quit();
}

static void end(struct connection *self)
{
    event_watch_close(&self->side[CLIENT]);
    event_watch_close(&self->side[SERVER]);
    stream_relay_clear(&self->relay);
    free(self);
    n_connections--;
    update();
}

static void on_ready(struct event_watch *side, uint32_t events)
{
    struct connection *self = side->owner;
    enum stream_relay_state state = stream_relay_step(&self->relay, side == &self->side[SERVER]);
    const struct pump *pump = self->relay.pump;
    /* X has no connection that is open in one direction alone. */
    if (state != STREAM_RELAY_OPEN || pump[CLIENT].has_shut_down || pump[SERVER].has_shut_down) {
        end(self);
        return;
    }
    for (int i = 0; i < 2; i++)
        event_watch_set(&self->side[i], stream_relay_events(&self->relay, i));
}

static void begin(int client, int server)
{
    struct connection *self = calloc(1, sizeof *self);
    if (!self) {
        close(client);
        close(server);
        return;
    }
    self->side[CLIENT] = (struct event_watch){.fd = client, .ready = on_ready, .owner = self};
    self->side[SERVER] = (struct event_watch){.fd = server, .ready = on_ready, .owner = self};
    stream_relay_init(&self->relay, PUMP_SOCKETS_WITH_DESCRIPTORS, client, server);
    n_connections++;
    for (int i = 0; i < 2; i++)
        event_watch_set(&self->side[i], EPOLLIN);
}

static void on_client(struct event_watch *watch, uint32_t events)
{
    int client = accept4(watch->fd, NULL, NULL, SOCK_CLOEXEC);
    int server = client < 0 ? -1 : unix_socket_connect(server_path, SOCK_STREAM);
    if (server >= 0)
        begin(client, server);
    else if (client >= 0)
        close(client);
    update();
}

void display_relay_run(int fd, const char *path)
{
    server_path = path;
    listener = (struct event_watch){.fd = fd, .ready = on_client};
    event_watch_set(&listener, EPOLLIN);
    event_loop_run();
}
