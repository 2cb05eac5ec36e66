#include "host/port/port_listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/port/connection.h"
#include "net/event_loop.h"
#include "proto/port_mapping.h"
#include "sys/debug.h"

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
