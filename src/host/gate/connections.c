#include "host/gate/gate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/gate/connection.h"
#include "host/gate/journal.h"
#include "sys/clock.h"

/* Connections that a listener accepts in a row before other events are handled. */
#define ACCEPTS_A_TURN 16
/* Before the next try to accept when the machine has no descriptor or memory for it. */
#define ACCEPT_RETRY_MS 100
/* Descriptors of everything but connections. */
#define OTHER_FDS 256

static const struct network_rules *connection_rules;
static struct box_network *box_network;
static struct event_watch listeners[BOX_LISTENERS_MAX];
static struct connection *connections;
static unsigned n_connections, connections_max;
static uint64_t last_connection;

static struct event_timer accept_pause;

static void listen_for(uint32_t events)
{
    event_timer_stop(&accept_pause);
    for (size_t i = 0; i < box_network->n_listeners; i++)
        event_watch_set(&listeners[i], events);
}

/* NULL when none decides. */
static const struct network_rule *deciding_rule(const struct connection *self)
{
    const struct target *target = &self->target;
    return target->rule || !target->name[0]
               ? target->rule
               : network_rules_decide(self->rules, target->name, target->port);
}

static void describe(const struct connection *self, enum network_decision decision, const char *why,
                     struct network_record *out)
{
    const struct pump *pump = self->line.relay.pump;
    *out = (struct network_record){.decision = decision,
                                   .kind = NETWORK_CONNECTION,
                                   .port = self->target.port,
                                   .count = 1,
                                   .sent = self->head_sent + pump[BOX].passed + self->handed[BOX],
                                   .received = pump[SERVER].passed + self->handed[SERVER],
                                   .ms = (uint64_t)(clock_ms() - self->begun)};
    if (decision == NETWORK_ALLOWED && self->target.is_audited) {
        out->decision = NETWORK_AUDITED;
        why = why[0] ? why : NETWORK_WOULD_REFUSE;
    }
    target_host(&self->target, out->name);
    memcpy(out->program, self->program.name, sizeof out->program);
    memcpy(out->secret, self->secret, sizeof out->secret);
    network_record_set_rule(out, deciding_rule(self));
    snprintf(out->reason, sizeof out->reason, "%s", why);
}

static void record(struct connection *self, enum network_decision decision, const char *why)
{
    struct network_record made;
    describe(self, decision, why, &made);
    journal_add(&made);
    self->recorded = IS_RECORDED;
}

void connection_log_allowed(struct connection *self)
{
    self->recorded = IS_RELAYED;
}

void connection_log_refused(struct connection *self, const char *why)
{
    record(self, NETWORK_REFUSED, why);
}

void connection_end(struct connection *self, bool reset)
{
    if (self->recorded == IS_RELAYED || (self->recorded == NOT_RECORDED && self->dial))
        record(self, NETWORK_ALLOWED, self->dial ? "no server has answered" : "");
    event_timer_stop(&self->timer);
    connection_stop_asking(self);
    connection_stop_dialling(self);
    connection_stop_handing_over(self);
    program_names_forget(&self->program);
    event_relay_close(&self->line, reset);
    free(self->head);
    *self->at = self->following;
    if (self->following)
        self->following->at = self->at;
    free(self);
    if (n_connections-- == connections_max)
        listen_for(EPOLLIN);
}

static struct connection *add(int fd)
{
    struct connection *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    event_relay_init(&self->line);
    for (int i = 0; i < 2; i++)
        self->line.side[i].owner = self;
    self->line.side[BOX].fd = fd;
    self->line.owner = self;
    self->timer.owner = self;
    self->program.owner = self;
    self->rules = connection_rules;
    self->begun = clock_ms();
    self->number = ++last_connection;
    self->following = connections;
    self->at = &connections;
    if (connections)
        connections->at = &self->following;
    connections = self;
    if (++n_connections == connections_max)
        listen_for(0);
    return self;
}

/* Takes FD. */
static void accept_connection(int fd)
{
    struct sockaddr_in6 destination;
    struct connection *self = add(fd);
    if (!self)
        close(fd);
    else if (box_network_destination(box_network, fd, &destination) < 0)
        connection_end(self, true);
    else {
        program_names_ask(&self->program, fd, &destination);
        connection_decide(self, &destination);
    }
}

bool connection_is_left(const struct connection *self)
{
    struct sockaddr_in6 destination;
    int fd = self->line.side[BOX].fd;
    return box_network_destination(box_network, fd, &destination) == 0 &&
           program_names_has_none(fd, &destination);
}

void connections_each(void (*call)(struct connection *each, void *data), void *data)
{
    for (struct connection *each = connections, *next; each; each = next) {
        next = each->following;
        call(each, data);
    }
}

/* One that waits for the user is told by asking_check_rules(). */
static void check_rules(struct connection *each, void *data)
{
    if (each->refusal || each->asked)
        return;
    const char *why = target_renew(connection_rules, &each->target) < 0
                          ? "no rule allows it any more"
                          : connection_refuse_server(each);
    if (why)
        connection_refuse(each, why);
}

void connections_check_rules(void)
{
    connections_each(check_rules, NULL);
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
    for (int i = 0; i < ACCEPTS_A_TURN && n_connections < connections_max; i++) {
        int fd = accept4(watch->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM))
            pause_accepting();
        if (fd < 0)
            return;
        accept_connection(fd);
    }
}

void connections_list(FILE *out)
{
    for (const struct connection *each = connections; each; each = each->following) {
        struct network_record now;
        char line[NETWORK_RECORD_SIZE];
        if (each->recorded == IS_RECORDED || each->refusal_due)
            continue;
        describe(each, NETWORK_ALLOWED, each->recorded == IS_RELAYED ? "" : "it is being dialled",
                 &now);
        network_record_write(&now, line);
        fprintf(out, "%llu %s\n", (unsigned long long)each->number, line);
    }
}

void connections_record(void)
{
    for (struct connection *each = connections; each; each = each->following)
        if (each->recorded == IS_RELAYED)
            record(each, NETWORK_ALLOWED, "the gate has ended");
    journal_flush();
}

void connections_start(const struct network_rules *wanted, struct box_network *from)
{
    connection_rules = wanted;
    box_network = from;
    connections_max = event_relay_limit(OTHER_FDS, wanted->connections);
    accept_pause = (struct event_timer){.expired = pause_over};
    for (size_t i = 0; i < box_network->n_listeners; i++)
        listeners[i] =
            (struct event_watch){.fd = box_network->listeners[i], .ready = listener_ready};
    listen_for(EPOLLIN);
}
