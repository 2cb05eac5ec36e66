#include <unistd.h>

#include "host/gate/connection.h"
#include "host/gate/resolver.h"
#include "host/gate/secret_routes.h"

/* The other end has closed it: the connection is over. */
static void line_ready(struct event_watch *line, uint32_t events)
{
    connection_end(line->owner, false);
}

static void line_opened(void *owner, const struct resolved *nothing, int line)
{
    struct connection *self = owner;
    struct event_watch *box = &self->line.side[BOX];
    self->line_query = NULL;
    if (line < 0 || secret_routes_hand_over(line, self->target.name, self->target.port, box->fd,
                                            self->line.side[SERVER].fd) < 0) {
        if (line >= 0)
            close(line);
        connection_refuse(self, "the helper that has its secret does not run");
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
