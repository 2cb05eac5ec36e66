#include "host/gate/resolver.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/event_loop.h"
#include "sys/descriptors.h"

struct resolver_query {
    struct resolver_request request;
    uint16_t port;
    resolver_done *done; /* NULL: forgotten */
    void *owner;
    struct resolver_query *next, **at; /* while it waits for a number; AT NULL: it does not */
    struct resolver_query *joined;     /* the next that gets the same answer */
};

static struct event_watch process;
/* By their numbers. */
static struct resolver_query *under_way[RESOLVER_REQUESTS_MAX];
/* In the order in which they came. */
static struct resolver_query *first_waiting, **last_waiting = &first_waiting;

static void wait_in_turn(struct resolver_query *query)
{
    query->at = last_waiting;
    *last_waiting = query;
    last_waiting = &query->next;
}

static void stop_waiting(struct resolver_query *query)
{
    *query->at = query->next;
    if (query->next)
        query->next->at = query->at;
    else
        last_waiting = query->at;
    query->next = NULL;
    query->at = NULL;
}

/*
 * A program that opens 60 connections to one host has looked it up once. If the host were asked
 * once for each, its DNS server may drop some of that flood, which costs 5 s or the connection.
 * FALSE: nobody has asked for that name.
 */
static bool join(struct resolver_query *query)
{
    if (!query->request.name[0])
        return false;
    for (size_t i = 0; i < RESOLVER_REQUESTS_MAX; i++)
        if (under_way[i] && strcmp(under_way[i]->request.name, query->request.name) == 0) {
            query->joined = under_way[i]->joined;
            under_way[i]->joined = query;
            return true;
        }
    return false;
}

/* FALSE: too many are under way. */
static bool send_request(struct resolver_query *query)
{
    uint32_t number = 0;
    while (number < RESOLVER_REQUESTS_MAX && under_way[number])
        number++;
    query->request.number = number;
    if (number == RESOLVER_REQUESTS_MAX ||
        send(process.fd, &query->request, sizeof query->request, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        return false;
    under_way[number] = query;
    return true;
}

/* Takes LINE. */
static void finish(struct resolver_query *query, struct resolved *found, int line)
{
    for (size_t i = 0; i < found->count; i++)
        found->address[i].v4.sin_port = htons(query->port); /* at the same place in both */
    if (query->done)
        query->done(query->owner, found, line);
    else if (line >= 0)
        close(line);
    free(query);
}

static bool is_possible(const struct resolver_answer *answer)
{
    if (answer->number >= RESOLVER_REQUESTS_MAX || !under_way[answer->number] ||
        answer->found.count > RESOLVED_MAX)
        return false;
    for (size_t i = 0; i < answer->found.count; i++)
        if (answer->found.address[i].any.sa_family != AF_INET &&
            answer->found.address[i].any.sa_family != AF_INET6)
            return false;
    return true;
}

static void answer_ready(struct event_watch *watch, uint32_t events)
{
    struct resolver_answer answer;
    int line, flags = MSG_DONTWAIT;
    ssize_t got = descriptors_receive(watch->fd, &answer, sizeof answer, &line, 1, &flags);
    if (got < 0 && errno == EAGAIN)
        return;
    if (got != sizeof answer || !is_possible(&answer)) {
        fprintf(stderr, "litterbox-gate: its resolver has ended\n");
        exit(1); /* the next worker has another one */
    }
    struct resolver_query *query = under_way[answer.number];
    under_way[answer.number] = NULL;
    while (query) {
        struct resolver_query *joined = query->joined;
        finish(query, &answer.found, line);
        line = -1; /* it has one owner */
        query = joined;
    }
    while (first_waiting && (join(first_waiting) || send_request(first_waiting)))
        stop_waiting(first_waiting);
}

/* The next of FROM at or behind *AT that is of FAMILY, or is not. COUNT: none. */
static size_t next_of(const struct resolved *from, size_t at, sa_family_t family, bool is)
{
    while (at < from->count && (from->address[at].any.sa_family == family) != is)
        at++;
    return at;
}

void resolved_interleave(struct resolved *self)
{
    const struct resolved from = *self;
    sa_family_t first = from.count ? from.address[0].any.sa_family : AF_UNSPEC;
    size_t at[2] = {next_of(&from, 0, first, true), next_of(&from, 0, first, false)};
    for (size_t i = 0, turn = 0; i < from.count; i++, turn = !turn) {
        if (at[turn] == from.count)
            turn = !turn;
        self->address[i] = from.address[at[turn]];
        at[turn] = next_of(&from, at[turn] + 1, first, turn == 0);
    }
}

int resolver_init(int fd)
{
    process = (struct event_watch){.fd = fd, .ready = answer_ready};
    return event_watch_set(&process, EPOLLIN);
}

static struct resolver_query *begin(const char *name, uint16_t port, resolver_done *done,
                                    void *owner)
{
    struct resolver_query *query = calloc(1, sizeof *query);
    if (!query)
        return NULL;
    snprintf(query->request.name, sizeof query->request.name, "%s", name);
    query->port = port;
    query->done = done;
    query->owner = owner;
    if (!join(query) && (first_waiting || !send_request(query)))
        wait_in_turn(query);
    return query;
}

struct resolver_query *resolver_begin(const char *name, uint16_t port, resolver_done *done,
                                      void *owner)
{
    return begin(name, port, done, owner);
}

struct resolver_query *resolver_begin_line(resolver_done *done, void *owner)
{
    return begin("", 0, done, owner);
}

void resolver_forget(struct resolver_query *query)
{
    query->done = NULL;
    if (!query->at)
        return;
    stop_waiting(query);
    free(query);
}
