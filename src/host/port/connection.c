#include "host/port/connection.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/event_loop.h"
#include "net/stream_relay.h"
#include "session/client_connect.h"
#include "sys/clock.h"
#include "sys/debug.h"

/* A little more than box-init needs at most (guest/init/session_request.c). */
#define DIAL_TIMEOUT_MS 8000
/* Between two tries while the queue of box-init is full. */
#define RETRY_MS 20
/* Descriptors of a connection, and of everything else. */
#define CONNECTION_FDS 2
#define OTHER_FDS 128

enum { CLIENT, SERVER };

typedef struct {
    struct event_watch side[2];
    struct stream_relay relay; /* after dialling; before it: */
    struct event_watch dial;   /* the request to box-init; -1 between two tries */
    struct event_timer timer;  /* the next try, or the timeout */
    gint64 deadline;           /* of dialling; 0 when that is over */
    int port;
    void (*dialled)(void *owner);
    void *owner;
} connection;

static GPtrArray *connections;
static guint connections_max;
static char *control_folder;
static void (*on_ended)(void), (*on_answer)(void);

void connections_init(const char *control, void (*ended)(void))
{
    struct rlimit limit = {0};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    rlim_t room = limit.rlim_cur > OTHER_FDS ? (limit.rlim_cur - OTHER_FDS) / CONNECTION_FDS : 16;
    connections_max = room < CONNECTIONS_MAX ? (guint)room : CONNECTIONS_MAX;
    connections = g_ptr_array_new();
    control_folder = g_strdup(control);
    on_ended = ended;
}

gboolean connections_have_room(void)
{
    return connections->len < connections_max;
}

void connections_on_answer(void (*answered)(void))
{
    on_answer = answered;
}

static void stop_dialling(connection *self)
{
    event_watch_close(&self->dial);
    event_timer_stop(&self->timer);
    if (!self->deadline)
        return;
    self->deadline = 0;
    self->dialled(self->owner);
}

/* A failed connection is reset, so that its other end does not take it for a complete one. */
static void close_side(struct event_watch *side, gboolean reset)
{
    struct linger how = {.l_onoff = reset};
    if (side->fd >= 0)
        setsockopt(side->fd, SOL_SOCKET, SO_LINGER, &how, sizeof how);
    event_watch_close(side);
}

static void end(connection *self, gboolean reset)
{
    stop_dialling(self);
    close_side(&self->side[CLIENT], reset);
    close_side(&self->side[SERVER], reset);
    stream_relay_clear(&self->relay);
    g_ptr_array_remove_fast(connections, self);
    g_free(self);
    on_ended();
}

static void side_ready(struct event_watch *side, uint32_t events)
{
    connection *self = side->owner;
    enum stream_relay_state state = stream_relay_step(&self->relay, side == &self->side[SERVER]);
    if (on_answer && self->relay.pump[SERVER].has_moved) {
        on_answer();
        on_answer = NULL;
    }
    if (state != STREAM_RELAY_OPEN) {
        end(self, state == STREAM_RELAY_BROKEN);
        return;
    }
    for (int i = 0; i < 2; i++)
        event_watch_set(&self->side[i], stream_relay_events(&self->relay, i));
}

static void begin_relay(connection *self, int server)
{
    int one = 1;
    self->side[SERVER].fd = server;
    stream_relay_init(&self->relay, PUMP_SOCKETS, self->side[CLIENT].fd, server);
    for (int i = 0; i < 2; i++) {
        setsockopt(self->side[i].fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        setsockopt(self->side[i].fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
        event_watch_set(&self->side[i], stream_relay_events(&self->relay, i));
    }
}

static void dial_ready(struct event_watch *dial, uint32_t events)
{
    connection *self = dial->owner;
    int server = client_connect_end(dial->fd, self->port);
    stop_dialling(self);
    debug_log(DEBUG_PORT, "port %d of the box: %s", self->port,
              server < 0 ? g_strerror(errno) : "connected");
    if (server < 0)
        end(self, TRUE);
    else
        begin_relay(self, server);
}

/* Asks box-init for a socket that is connected to the server, now or later. */
static void dial(connection *self)
{
    gint64 left = self->deadline - clock_ms();
    self->dial.fd = left > 0 ? client_connect_begin(control_folder, self->port) : -1;
    if (self->dial.fd >= 0) {
        event_watch_set(&self->dial, EPOLLIN);
        event_timer_set(&self->timer, left);
    } else if (left > 0 && (errno == EAGAIN || errno == EMFILE || errno == ENFILE)) {
        event_timer_set(&self->timer, MIN(RETRY_MS, left));
    } else {
        end(self, TRUE);
    }
}

static void dial_due(struct event_timer *timer)
{
    connection *self = timer->owner;
    if (self->dial.fd >= 0)
        end(self, TRUE);
    else
        dial(self);
}

void connection_new(int client, int port, void (*dialled)(void *owner), void *owner)
{
    connection *self = g_new0(connection, 1);
    for (int i = 0; i < 2; i++)
        self->side[i] = (struct event_watch){.fd = -1, .ready = side_ready, .owner = self};
    self->side[CLIENT].fd = client;
    self->dial = (struct event_watch){.fd = -1, .ready = dial_ready, .owner = self};
    self->timer = (struct event_timer){.expired = dial_due, .owner = self};
    self->port = port;
    self->dialled = dialled;
    self->owner = owner;
    self->deadline = clock_ms() + DIAL_TIMEOUT_MS;
    g_ptr_array_add(connections, self);
    dial(self);
}

void connections_close_of(const void *owner)
{
    for (guint i = connections->len; i-- > 0;) {
        connection *each = connections->pdata[i];
        if (each->owner == owner)
            end(each, TRUE);
    }
}
