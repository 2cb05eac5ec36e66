#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "host/gate/connection.h"

static void line_ended(struct event_relay *line, bool broken)
{
    struct connection *self = line->owner;
    if (self->refusal)
        connection_log_refused(self, self->refusal);
    connection_end(self, broken);
}

/* RFC 4253, 4.2. OpenSSH's servers begin with it, too, and send no lines before it. */
static ssize_t look_for_banner(struct pump *pump, const void *data, size_t length)
{
    static const char banner[] = "SSH-";
    struct connection *self = pump->owner;
    size_t *seen = &self->banner[pump == &self->line.relay.pump[SERVER]];
    for (size_t i = 0; i < length && *seen < strlen(banner); i++, ++*seen) {
        if (((const char *)data)[i] == banner[*seen])
            continue;
        self->refusal = "its first bytes are not those of SSH";
        return -1;
    }
    if (*seen == strlen(banner))
        pump->look = NULL;
    return (ssize_t)length;
}

/* A second request, which could have another Host, goes nowhere. It is read all the same: unread
 * bytes would make the kernel reset the connection before the first answer has arrived. */
static ssize_t look_for_end(struct pump *pump, const void *data, size_t length)
{
    struct connection *self = pump->owner;
    ssize_t passed = http_body_take(&self->target.body, data, length);
    if (passed < 0)
        self->refusal = "its body is malformed";
    return passed;
}

static void begin(struct connection *self)
{
    struct pump *pump = self->line.relay.pump;
    free(self->head);
    self->head = NULL;
    self->line.ended = line_ended;
    event_relay_start(&self->line);
    pump[BOX].owner = pump[SERVER].owner = self;
    if (self->target.first == FIRST_SSH)
        pump[BOX].look = pump[SERVER].look = look_for_banner;
    else if (self->target.first == FIRST_HTTP)
        pump[BOX].look = look_for_end;
}

static void send_head(struct event_watch *server, uint32_t events)
{
    struct connection *self = server->owner;
    while (self->head_sent < self->head_length) {
        ssize_t sent = send(server->fd, self->head + self->head_sent,
                            self->head_length - self->head_sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN && errno != EINTR) {
            connection_end(self, true);
            return;
        }
        if (sent < 0) {
            event_watch_set(server, EPOLLOUT);
            return;
        }
        self->head_sent += (size_t)sent;
    }
    begin(self);
}

void connection_relay(struct connection *self)
{
    if (self->target.has_secret) {
        connection_hand_over(self);
        return;
    }
    connection_log_allowed(self);
    self->line.side[SERVER].ready = send_head;
    send_head(&self->line.side[SERVER], 0);
}
