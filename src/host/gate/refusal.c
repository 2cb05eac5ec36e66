#include <errno.h>
#include <sys/socket.h>

#include "host/gate/connection.h"
#include "host/gate/refusal_text.h"

/* For the box to ask, to read the answer, and to close. */
#define ANSWER_MS 10000

/* Unread bytes would make the kernel reset the connection, and take the answer away with it. */
static void rest_ready(struct event_watch *box, uint32_t events)
{
    char rest[4096];
    ssize_t got = recv(box->fd, rest, sizeof rest, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        connection_end(box->owner, false);
}

static void answer(struct event_watch *box, uint32_t events)
{
    struct connection *self = box->owner;
    uint8_t text[REFUSAL_MAX];
    size_t length = (self->target.first == FIRST_SSH ? refusal_text_ssh : refusal_text_http)(
        &self->target, self->refusal, text);
    send(box->fd, text, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    shutdown(box->fd, SHUT_WR);
    box->ready = rest_ready;
    event_watch_set(box, EPOLLIN);
}

static void late(struct event_timer *timer)
{
    connection_end(timer->owner, true);
}

/* TRUE: nothing that a server says has reached the box, which speaks a protocol with words for it.
 */
static bool can_answer(const struct connection *self)
{
    return self->line.side[SERVER].fd < 0 &&
           (self->target.first == FIRST_SSH || self->target.first == FIRST_HTTP);
}

void connection_refuse(struct connection *self, const char *why)
{
    self->program.answered = NULL;
    connection_log_refused(self, why);
    connection_stop_asking(self);
    connection_stop_dialling(self);
    if (!can_answer(self)) {
        connection_end(self, true);
        return;
    }
    self->refusal = why;
    self->timer.expired = late;
    event_timer_set(&self->timer, ANSWER_MS);
    /* A client of HTTP may take an answer that comes before its request for a mistake. */
    if (self->target.first == FIRST_SSH || self->head_length > 0) {
        answer(&self->line.side[BOX], 0);
        return;
    }
    self->line.side[BOX].ready = answer;
    event_watch_set(&self->line.side[BOX], EPOLLIN);
}
