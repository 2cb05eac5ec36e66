#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "host/gate/connection.h"

/* Until the first bytes have come. */
#define HEAD_MS 10000
/* Bytes that are read at first; it grows. */
#define HEAD_FIRST 4096

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
        connection_end(self, true);
        return;
    }
    self->head_length += (size_t)got;
    switch (target_check(&self->target, self->head, &self->head_length, &why)) {
    case HEAD_INCOMPLETE:
        return;
    case HEAD_COMPLETE:
        connection_dial(self);
        return;
    case HEAD_WRONG:
        connection_refuse(self, why);
        return;
    }
}

static void head_late(struct event_timer *timer)
{
    connection_refuse(timer->owner, "it takes too long");
}

void connection_read_head(struct connection *self)
{
    self->timer.expired = head_late;
    event_timer_set(&self->timer, HEAD_MS);
    self->line.side[BOX].ready = head_ready;
    event_watch_set(&self->line.side[BOX], EPOLLIN);
}
