#include "host/gate/connections.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/gate/allowed_addresses.h"
#include "host/gate/resolver.h"
#include "host/gate/target.h"
#include "net/event_loop.h"
#include "net/event_relay.h"
#include "sys/debug.h"

/* Until the first bytes have come, and from then until a server has accepted. */
#define HEAD_MS 10000
#define DIAL_MS 30000
/* For one address of several. */
#define ADDRESS_MS 2000
/* Bytes that are read at first of a head; it grows. */
#define HEAD_FIRST 4096
/* Connections that a listener accepts in a row before other events are handled. */
#define TURN_MAX 16
/* Before the next try to accept when the machine has no descriptor or memory for it. */
#define ACCEPT_RETRY_MS 100
/* Descriptors of everything but connections. */
#define OTHER_FDS 256

enum { BOX, SERVER };

struct connection {
    struct connection *following, **at; /* in the list of all */
    struct event_relay line;
    struct event_timer timer;        /* of the head; of the dial */
    struct event_timer address_time; /* of one address */
    struct target target;
    uint8_t *head; /* what the box has sent, until it is passed on */
    size_t head_length, head_room, head_sent;
    struct resolver_query *query;
    struct resolved *found; /* addresses that may be dialled */
    size_t next;
};

static const struct network_rules *rules;
static struct box_network *network;
static struct event_watch listeners[BOX_LISTENERS_MAX];
static struct connection *connections;
static unsigned n_connections, connections_max;

static struct event_timer accept_pause;

static void listen_for(uint32_t events)
{
    event_timer_stop(&accept_pause);
    for (size_t i = 0; i < network->n_listeners; i++)
        event_watch_set(&listeners[i], events);
}

static void end(struct connection *self, bool reset)
{
    event_timer_stop(&self->timer);
    event_timer_stop(&self->address_time);
    if (self->query)
        resolver_forget(self->query);
    event_relay_close(&self->line, reset);
    free(self->head);
    free(self->found);
    *self->at = self->following;
    if (self->following)
        self->following->at = self->at;
    free(self);
    if (n_connections-- == connections_max)
        listen_for(EPOLLIN);
}

static void report(const struct connection *self, const char *why)
{
    char text[TARGET_TEXT_SIZE];
    target_text(&self->target, text);
    fprintf(stderr, "refused: %s: %s\n", text, why);
}

static void refuse(struct connection *self, const char *why)
{
    report(self, why);
    end(self, true);
}

/* Relaying. */

static void line_ended(struct event_relay *line, bool broken)
{
    end(line->owner, broken);
}

static void begin_relay(struct connection *self)
{
    free(self->head);
    self->head = NULL;
    event_relay_start(&self->line);
}

static void send_head(struct event_watch *server, uint32_t events)
{
    struct connection *self = server->owner;
    while (self->head_sent < self->head_length) {
        ssize_t sent = send(server->fd, self->head + self->head_sent,
                            self->head_length - self->head_sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN && errno != EINTR) {
            end(self, true);
            return;
        }
        if (sent < 0) {
            event_watch_set(server, EPOLLOUT);
            return;
        }
        self->head_sent += (size_t)sent;
    }
    begin_relay(self);
}

/* Dialling. */

static void dial_next(struct connection *self);

static void connected(struct connection *self)
{
    char text[TARGET_TEXT_SIZE];
    target_text(&self->target, text);
    fprintf(stderr, "allowed: %s\n", text);
    event_timer_stop(&self->timer);
    event_timer_stop(&self->address_time);
    self->line.side[SERVER].ready = send_head;
    send_head(&self->line.side[SERVER], 0);
}

static void dial_ready(struct event_watch *server, uint32_t events)
{
    struct connection *self = server->owner;
    int error = 0;
    socklen_t length = sizeof error;
    if (getsockopt(server->fd, SOL_SOCKET, SO_ERROR, &error, &length) < 0 || error)
        dial_next(self);
    else
        connected(self);
}

static void address_late(struct event_timer *timer)
{
    dial_next(timer->owner);
}

/* Dials the next address that is left. The connection may be gone after it. */
static void dial_next(struct connection *self)
{
    struct event_watch *server = &self->line.side[SERVER];
    event_timer_stop(&self->address_time);
    event_watch_close(server);
    while (self->next < self->found->count) {
        const struct sockaddr *address = &self->found->address[self->next++].any;
        server->fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (server->fd >= 0 &&
            (connect(server->fd, address, resolved_length(address)) == 0 || errno == EINPROGRESS)) {
            server->ready = dial_ready;
            event_watch_set(server, EPOLLOUT);
            if (self->next < self->found->count)
                event_timer_set(&self->address_time, ADDRESS_MS);
            return;
        }
        event_watch_close(server);
    }
    debug_log(DEBUG_GATE, "%s: no server answers", self->target.name);
    end(self, true);
}

static void dial(struct connection *self, const struct resolved *found)
{
    self->found = malloc(sizeof *found);
    if (!self->found) {
        end(self, true);
        return;
    }
    *self->found = *found;
    dial_next(self);
}

static void resolved(void *owner, const struct resolved *result)
{
    struct connection *self = owner;
    const char *why = "its name has no address";
    struct resolved found = *result;
    self->query = NULL;
    allowed_addresses_keep(rules, &found, &why);
    if (found.count > 0)
        dial(self, &found);
    else
        refuse(self, why);
}

static void add_address(struct resolved *list, uint32_t address, uint16_t port)
{
    list->address[list->count++].v4 = (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(address)}};
}

static void late(struct event_timer *timer)
{
    refuse(timer->owner, "it takes too long");
}

/* The first bytes are as they should be, or need not be looked at. */
static void find_server(struct connection *self)
{
    struct resolved found = {0};
    const char *why = NULL;
    uint16_t port = self->target.port;
    event_watch_set(&self->line.side[BOX], 0);
    event_timer_set(&self->timer, DIAL_MS);
    if (self->target.rule->kind == RULE_HOST) {
        add_address(&found, INADDR_LOOPBACK, port);
        found.address[found.count++].v6 = (struct sockaddr_in6){
            .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
        dial(self, &found);
    } else if (self->target.name[0]) {
        self->query = resolver_begin(self->target.name, port, resolved, self);
        if (!self->query)
            refuse(self, "this machine has no room to resolve its name");
    } else {
        add_address(&found, self->target.address, port);
        allowed_addresses_keep(rules, &found, &why);
        if (found.count > 0)
            dial(self, &found);
        else
            refuse(self, why);
    }
}

/* The head. */

/* FALSE: there is no memory. */
static bool make_room(struct connection *self)
{
    if (self->head_length < self->head_room)
        return true;
    size_t room = self->head_room ? 2 * self->head_room : HEAD_FIRST;
    uint8_t *grown = realloc(self->head, room + TARGET_HEAD_ADDED);
    if (!grown)
        return false;
    self->head = grown;
    self->head_room = room;
    return true;
}

static const char forbidden[] = "HTTP/1.1 403 Forbidden\r\nConnection: close\r\n"
                                "Content-Type: text/plain\r\n\r\n"
                                "Litterbox refused this request: its Host must be the name that it "
                                "was sent to\n";

/* Unread bytes would make the kernel reset the connection, and take the answer away with it. */
static void rest_ready(struct event_watch *box, uint32_t events)
{
    char rest[4096];
    ssize_t got = recv(box->fd, rest, sizeof rest, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        end(box->owner, false);
}

static void rest_late(struct event_timer *timer)
{
    end(timer->owner, true);
}

static void answer_forbidden(struct connection *self)
{
    send(self->line.side[BOX].fd, forbidden, sizeof forbidden - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    shutdown(self->line.side[BOX].fd, SHUT_WR);
    self->line.side[BOX].ready = rest_ready;
    self->timer.expired = rest_late;
    event_timer_set(&self->timer, HEAD_MS);
}

static void head_ready(struct event_watch *box, uint32_t events)
{
    struct connection *self = box->owner;
    const char *why = "";
    ssize_t got = make_room(self) ? recv(box->fd, self->head + self->head_length,
                                         self->head_room - self->head_length, MSG_DONTWAIT)
                                  : 0;
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        end(self, true);
        return;
    }
    self->head_length += (size_t)got;
    switch (target_check(&self->target, self->head, &self->head_length, &why)) {
    case HEAD_INCOMPLETE:
        return;
    case HEAD_COMPLETE:
        find_server(self);
        return;
    case HEAD_WRONG:
        report(self, why);
        if (self->target.first == FIRST_HTTP)
            answer_forbidden(self);
        else
            end(self, true);
        return;
    }
}

/* Takes FD. */
static void connection_new(int fd)
{
    struct sockaddr_in destination;
    const char *why;
    struct connection *self = calloc(1, sizeof *self);
    if (!self) {
        close(fd);
        return;
    }
    event_relay_init(&self->line);
    self->line.side[BOX] = (struct event_watch){.fd = fd, .ready = head_ready, .owner = self};
    self->line.side[SERVER].owner = self;
    self->line.ended = line_ended;
    self->line.owner = self;
    self->timer = (struct event_timer){.expired = late, .owner = self};
    self->address_time = (struct event_timer){.expired = address_late, .owner = self};
    self->following = connections;
    self->at = &connections;
    if (connections)
        connections->at = &self->following;
    connections = self;
    if (++n_connections == connections_max)
        listen_for(0);
    if (box_network_destination(network, fd, &destination) < 0) {
        end(self, true);
    } else if (target_find(rules, &destination, &self->target, &why) < 0) {
        refuse(self, why);
    } else if (self->target.first == FIRST_ANY) {
        find_server(self);
    } else {
        event_timer_set(&self->timer, HEAD_MS);
        event_watch_set(&self->line.side[BOX], EPOLLIN);
    }
}

void connections_check_rules(void)
{
    for (struct connection *each = connections, *next; each; each = next) {
        next = each->following;
        if (target_renew(rules, &each->target) < 0)
            refuse(each, "no rule allows it any more");
    }
}

static void pause_over(struct event_timer *timer)
{
    listen_for(n_connections < connections_max ? EPOLLIN : 0);
}

/* A connection that cannot be accepted stays in the queue, and would be reported without end. */
static void pause_accepting(void)
{
    listen_for(0);
    event_timer_set(&accept_pause, ACCEPT_RETRY_MS);
}

static void listener_ready(struct event_watch *watch, uint32_t events)
{
    for (int i = 0; i < TURN_MAX && n_connections < connections_max; i++) {
        int fd = accept4(watch->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM))
            pause_accepting();
        if (fd < 0)
            return;
        connection_new(fd);
    }
}

void connections_start(const struct network_rules *wanted, struct box_network *from)
{
    rules = wanted;
    network = from;
    connections_max = event_relay_limit(OTHER_FDS, CONNECTIONS_MAX);
    accept_pause = (struct event_timer){.expired = pause_over};
    for (size_t i = 0; i < network->n_listeners; i++)
        listeners[i] = (struct event_watch){.fd = network->listeners[i], .ready = listener_ready};
    listen_for(EPOLLIN);
}
