#include "host/gate/connection.h"
#include "host/gate/secret_routes.h"

/* The other end has closed it: the connection is over. */
static void line_ready(struct event_watch *line, uint32_t events)
{
    connection_end(line->owner, false);
}

void connection_hand_over(struct connection *self)
{
    struct event_watch *box = &self->line.side[BOX];
    int line = secret_routes_hand_over(self->target.name, self->target.port, box->fd,
                                       self->line.side[SERVER].fd);
    if (line < 0) {
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
