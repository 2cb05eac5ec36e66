#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/gate/connection.h"
#include "host/gate/resolver.h"
#include "host/gate/secret_routes.h"
#include "proto/network_record.h"

/* The other end says what it did: at the end, and when it has refused one of many requests. */
static void line_ready(struct event_watch *line, uint32_t events)
{
    struct connection *self = line->owner;
    struct network_record report;
    char text[NETWORK_RECORD_SIZE];
    ssize_t got = recv(line->fd, text, sizeof text - 1, MSG_DONTWAIT);
    text[got > 0 ? got : 0] = '\0';
    if (got <= 0 || network_record_parse(text, &report) < 0) {
        connection_end(self, false);
        return;
    }
    self->handed[BOX] = report.sent;
    self->handed[SERVER] = report.received;
    memcpy(self->secret, report.secret, sizeof self->secret);
    if (report.decision == NETWORK_REFUSED)
        connection_log_refused(self, report.reason);
    else
        connection_log_allowed(self);
}

static void line_opened(void *owner, const struct resolved *nothing, int line)
{
    struct connection *self = owner;
    struct event_watch *box = &self->line.side[BOX];
    const struct secret_route *route = secret_routes_find(self->target.name, self->target.port);
    self->line_query = NULL;
    if (line < 0 || !route ||
        secret_routes_hand_over(line, self->rules, route, box->fd, self->line.side[SERVER].fd) <
            0) {
        if (line >= 0)
            close(line);
        connection_refuse(self, "the helper that reads its requests does not take it");
        return;
    }
    connection_log_allowed(self);
    event_watch_close(box);
    event_watch_close(&self->line.side[SERVER]);
    /* Which this takes the place of: a rule that goes closes it. */
    box->fd = line;
    box->ready = line_ready;
    event_watch_set(box, EPOLLIN);
}

void connection_hand_over(struct connection *self)
{
    self->line_query = resolver_begin_line(line_opened, self);
    if (!self->line_query)
        connection_refuse(self, "this machine has no memory for it");
}

void connection_stop_handing_over(struct connection *self)
{
    if (self->line_query)
        resolver_forget(self->line_query);
    self->line_query = NULL;
}
