#include "host/port/port_forward.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/event_loop.h"
#include "net/event_relay.h"
#include "proto/port_mapping.h"
#include "session/client_connect.h"
#include "sys/clock.h"
#include "sys/debug.h"

/* Connections. Each is first dialled in the box, then relayed. */

/* A little more than box-init needs at most (guest/init/session_request.c). */
#define DIAL_TIMEOUT_MS 8000
/* Between two tries while the queue of box-init is full. */
#define DIAL_RETRY_MS 20
/* Descriptors of everything but connections. */
#define OTHER_FDS 128

enum { CLIENT, SERVER };

typedef struct {
    struct event_relay line;  /* after dialling; before it: */
    struct event_watch dial;  /* the request to box-init; -1 between two tries */
    struct event_timer timer; /* the next try, or the timeout */
    gint64 deadline;          /* of dialling; 0 when that is over */
    int port;
    void (*dialled)(void *owner);
    void *owner;
} connection;

static GPtrArray *connections;
static guint connections_max;
static char *control_folder;
static void (*on_ended)(void), (*on_answer)(void);

/* Raises RLIMIT_NOFILE. CONTROL: the folder of the box's control socket. ENDED is called after the
 * end of each connection. */
static void connections_init(const char *control, void (*ended)(void))
{
    connections_max = event_relay_limit(OTHER_FDS, CONNECTIONS_MAX);
    connections = g_ptr_array_new();
    control_folder = g_strdup(control);
    on_ended = ended;
}

/* FALSE: there is no room for another connection. */
static gboolean connections_have_room(void)
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

static void end(connection *self, gboolean reset)
{
    stop_dialling(self);
    event_relay_close(&self->line, reset);
    g_ptr_array_remove_fast(connections, self);
    g_free(self);
    on_ended();
}

static void line_moved(struct event_relay *line)
{
    if (on_answer && line->relay.pump[SERVER].has_moved) {
        on_answer();
        on_answer = NULL;
    }
}

static void line_ended(struct event_relay *line, bool broken)
{
    end(line->owner, broken);
}

static void dial_ready(struct event_watch *dial, uint32_t events)
{
    connection *self = dial->owner;
    int server = client_connect_end(dial->fd, self->port);
    stop_dialling(self);
    debug_log(DEBUG_PORT, "port %d of the box: %s", self->port,
              server < 0 ? g_strerror(errno) : "connected");
    if (server < 0) {
        end(self, TRUE);
        return;
    }
    self->line.side[SERVER].fd = server;
    event_relay_start(&self->line);
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
        event_timer_set(&self->timer, MIN(DIAL_RETRY_MS, left));
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

/*
 * Takes over CLIENT and connects it to PORT of the box. DIALLED is called with OWNER when PORT has
 * accepted the connection or cannot be reached. OWNER is not NULL; see connections_close_of().
 */
static void connection_new(int client, int port, void (*dialled)(void *owner), void *owner)
{
    connection *self = g_new0(connection, 1);
    event_relay_init(&self->line);
    self->line.side[CLIENT].fd = client;
    self->line.moved = line_moved;
    self->line.ended = line_ended;
    self->line.owner = self;
    self->dial = (struct event_watch){.fd = -1, .ready = dial_ready, .owner = self};
    self->timer = (struct event_timer){.expired = dial_due, .owner = self};
    self->port = port;
    self->dialled = dialled;
    self->owner = owner;
    self->deadline = clock_ms() + DIAL_TIMEOUT_MS;
    g_ptr_array_add(connections, self);
    dial(self);
}

/* Resets all connections of OWNER. */
static void connections_close_of(const void *owner)
{
    for (guint i = connections->len; i-- > 0;) {
        connection *each = connections->pdata[i];
        if (each->owner == owner)
            end(each, TRUE);
    }
}

/* Listeners. */

#define BACKLOG 128
/* Connections that a listener accepts in a row before other events are handled. */
#define TURN_MAX 16
/* How long listeners pause when there is no room for a connection and no connection ends. */
#define RETRY_MS 500

typedef struct {
    struct event_watch watch;
    port_mapping *mapping;
    guint dials;     /* connections that are being dialled: PORT_CONNECTS_MAX at most */
    gboolean paused; /* there was no room for another connection */
} port_listener;

static GPtrArray *listeners;
static struct event_timer retry;

static void update(port_listener *self)
{
    gboolean accepts = !self->paused && self->dials < PORT_CONNECTS_MAX;
    event_watch_set(&self->watch, accepts ? EPOLLIN : 0);
}

static void pause_listener(port_listener *self)
{
    self->paused = TRUE;
    event_timer_set(&retry, RETRY_MS);
}

static void resume_all(void)
{
    event_timer_stop(&retry);
    for (guint i = 0; i < listeners->len; i++) {
        port_listener *each = listeners->pdata[i];
        if (!each->paused)
            continue;
        each->paused = FALSE;
        update(each);
    }
}

static void on_retry(struct event_timer *timer)
{
    resume_all();
}

void port_listeners_init(const char *control)
{
    listeners = g_ptr_array_new();
    retry = (struct event_timer){.expired = on_retry};
    connections_init(control, resume_all);
}

static void on_dialled(void *owner)
{
    port_listener *self = owner;
    self->dials--;
    update(self);
}

/* TRUE when another client may wait. */
static gboolean accept_client(port_listener *self)
{
    if (!connections_have_room()) {
        debug_log(DEBUG_PORT, "port %d: no room for another connection", self->mapping->host_port);
        pause_listener(self);
        return FALSE;
    }
    int client = accept4(self->watch.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (client < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            pause_listener(self);
        return errno == ECONNABORTED;
    }
    self->dials++;
    debug_log(DEBUG_PORT, "port %d: a connection to port %d of the box, %u under way",
              self->mapping->host_port, self->mapping->box_port, self->dials);
    connection_new(client, self->mapping->box_port, on_dialled, self);
    return TRUE;
}

static void on_clients(struct event_watch *watch, uint32_t events)
{
    port_listener *self = watch->owner;
    for (int i = 0; i < TURN_MAX && self->dials < PORT_CONNECTS_MAX && accept_client(self); i++)
        ;
    update(self);
}

static int listen_on(const port_mapping *mapping)
{
    int one = 1;
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address = {0};
    gboolean is_v4 = inet_pton(AF_INET, mapping->host_ip, &address.v4.sin_addr) == 1;
    if (!is_v4 && inet_pton(AF_INET6, mapping->host_ip, &address.v6.sin6_addr) != 1) {
        errno = EINVAL;
        return -1;
    }
    address.any.sa_family = is_v4 ? AF_INET : AF_INET6;
    address.v4.sin_port = htons(mapping->host_port); /* at the same place in both */
    int fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (!is_v4)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
    if (bind(fd, &address.any, is_v4 ? sizeof address.v4 : sizeof address.v6) == 0 &&
        listen(fd, BACKLOG) == 0)
        return fd;
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

/* 0 or an errno. */
static int listener_open(const port_mapping *mapping)
{
    int fd = listen_on(mapping);
    if (fd < 0)
        return errno;
    port_listener *self = g_new0(port_listener, 1);
    self->watch = (struct event_watch){.fd = fd, .ready = on_clients, .owner = self};
    self->mapping = g_memdup2(mapping, sizeof *mapping);
    self->mapping->host_ip = g_strdup(mapping->host_ip);
    g_ptr_array_add(listeners, self);
    update(self);
    return 0;
}

static void listener_close(port_listener *self)
{
    g_ptr_array_remove_fast(listeners, self);
    connections_close_of(self);
    event_watch_close(&self->watch);
    port_mapping_free(self->mapping);
    g_free(self);
}

static gboolean is_open(const port_mapping *mapping)
{
    for (guint i = 0; i < listeners->len; i++) {
        const port_listener *each = listeners->pdata[i];
        if (port_mapping_same_host_side(each->mapping, mapping) &&
            each->mapping->box_port == mapping->box_port)
            return TRUE;
    }
    return FALSE;
}

static void close_unwanted(const GPtrArray *wanted)
{
    for (guint i = listeners->len; i-- > 0;) {
        port_listener *each = listeners->pdata[i];
        const port_mapping *same = port_list_find(wanted, each->mapping, NULL);
        if (!same || same->box_port != each->mapping->box_port)
            listener_close(each);
    }
}

guint port_listeners_apply(const GPtrArray *wanted, GString *answer)
{
    close_unwanted(wanted);
    for (guint i = 0; i < wanted->len; i++) {
        const port_mapping *mapping = wanted->pdata[i];
        int error = is_open(mapping) ? 0 : listener_open(mapping);
        g_autofree char *text = port_mapping_text(mapping);
        debug_log(DEBUG_PORT, "%s: %s", text, error ? g_strerror(error) : "listens");
        g_string_append_printf(answer, "%s %d\n", text, error);
    }
    return wanted->len;
}
