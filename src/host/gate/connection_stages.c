#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/gate/connection.h"
#include "host/gate/refusal_text.h"
#include "host/gate/resolver.h"
#include "host/gate/secret_routes.h"
#include "proto/network_record.h"

/* For its program to be found. */
#define PROGRAM_MS 200

static void refuse_now(struct connection *self)
{
    event_timer_stop(&self->timer);
    connection_refuse(self, self->refusal_due);
}

static void program_known(struct program_wait *program)
{
    refuse_now(program->owner);
}

static void program_late(struct event_timer *timer)
{
    refuse_now(timer->owner);
}

/* A program that is told ends, and nobody finds it any more. */
static void refuse_by_name(struct connection *self, const char *why)
{
    self->refusal_due = why;
    if (!program_names_waits(&self->program)) {
        connection_refuse(self, why);
        return;
    }
    self->program.answered = program_known;
    self->timer.expired = program_late;
    event_timer_set(&self->timer, PROGRAM_MS);
}

void connection_decide(struct connection *self, const struct sockaddr_in6 *destination)
{
    const char *why;
    const struct target *target = &self->target;
    if (target_find(self->rules, destination, &self->target, &why) == 0)
        connection_admit(self);
    else if (target->name[0] &&
             network_rules_unlisted(self->rules, target->name, target->port) == UNLISTED_ASKED)
        connection_ask(self);
    else
        refuse_by_name(self, why);
}

static void connection_read_head(struct connection *self);

void connection_admit(struct connection *self)
{
    /* A server of SSH speaks first, and the relay looks at what both say. */
    if (self->target.first == FIRST_ANY || self->target.first == FIRST_SSH)
        connection_dial(self);
    else
        connection_read_head(self);
}

/* Until the first bytes have come. */
#define HEAD_MS 10000
/* Bytes that are read at first; it grows. */
#define HEAD_FIRST 4096

bool connection_make_room(struct connection *self)
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
    ssize_t got = connection_make_room(self)
                      ? recv(box->fd, self->head + self->head_length,
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

static void connection_read_head(struct connection *self)
{
    self->timer.expired = head_late;
    event_timer_set(&self->timer, HEAD_MS);
    self->line.side[BOX].ready = head_ready;
    event_watch_set(&self->line.side[BOX], EPOLLIN);
}

static void line_ended(struct event_relay *line, bool broken)
{
    struct connection *self = line->owner;
    if (self->refusal)
        connection_log_refused(self, self->refusal);
    connection_end(self, broken);
}

static void begin_connection(struct connection *self)
{
    free(self->head);
    self->head = NULL;
    self->head_length = self->head_room = 0;
    self->line.ended = line_ended;
    event_relay_start(&self->line);
    connection_look(self);
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
    begin_connection(self);
}

static void connection_hand_over(struct connection *self);

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

static void connection_hand_over(struct connection *self)
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
