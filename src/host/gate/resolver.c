#include "host/gate/resolver.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/event_loop.h"
#include "proto/network_rules.h"

/* Threads, of which each has a stack; more queries wait for one. */
#define THREADS_MAX 64
#define STACK_SIZE ((size_t)256 * 1024)

struct resolver_query {
    char name[HOST_NAME_SIZE];
    uint16_t port;
    struct resolved result;
    void (*done)(void *owner, const struct resolved *result); /* NULL: forgotten */
    void *owner;
    struct resolver_query *next, **at; /* while it waits for a thread; AT NULL: it does not */
};

/* A pipe takes the pointers of queries that are done: a write of so few bytes is atomic (pipe(7)).
 */
static int done_pipe[2];
static struct event_watch done_watch;
static int threads;
/* In the order in which they came. */
static struct resolver_query *first_waiting, **last_waiting = &first_waiting;

static void wait_for_thread(struct resolver_query *query)
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

static void add(struct resolved *self, const struct sockaddr *address, size_t length)
{
    if (self->count < RESOLVED_MAX && length <= sizeof self->address[0])
        memcpy(&self->address[self->count++], address, length);
}

static void *resolve(void *data)
{
    struct resolver_query *self = data;
    struct addrinfo *list = NULL;
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    char port[8];
    snprintf(port, sizeof port, "%u", self->port);
    if (getaddrinfo(self->name, port, &hints, &list) == 0) {
        for (const struct addrinfo *each = list; each; each = each->ai_next)
            add(&self->result, each->ai_addr, each->ai_addrlen);
        freeaddrinfo(list);
    }
    if (write(done_pipe[1], &self, sizeof self) != sizeof self)
        abort();
    return NULL;
}

static int start_thread(struct resolver_query *query)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    int error = pthread_create(&thread, &attributes, resolve, query);
    pthread_attr_destroy(&attributes);
    threads += error == 0;
    return error;
}

static void finish(struct resolver_query *query)
{
    if (query->done)
        query->done(query->owner, &query->result);
    free(query);
}

static void query_done(struct event_watch *watch, uint32_t events)
{
    struct resolver_query *query;
    if (read(watch->fd, &query, sizeof query) != sizeof query)
        return;
    threads--;
    finish(query);
    while (first_waiting && threads < THREADS_MAX) {
        query = first_waiting;
        stop_waiting(query);
        if (start_thread(query) != 0)
            finish(query);
    }
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

int resolver_init(void)
{
    if (pipe2(done_pipe, O_CLOEXEC) < 0)
        return -1;
    done_watch = (struct event_watch){.fd = done_pipe[0], .ready = query_done};
    return event_watch_set(&done_watch, EPOLLIN);
}

struct resolver_query *resolver_begin(const char *name, uint16_t port,
                                      void (*done)(void *owner, const struct resolved *result),
                                      void *owner)
{
    struct resolver_query *query = calloc(1, sizeof *query);
    if (!query)
        return NULL;
    snprintf(query->name, sizeof query->name, "%s", name);
    query->port = port;
    query->done = done;
    query->owner = owner;
    if (threads == THREADS_MAX) {
        wait_for_thread(query);
        return query;
    }
    int error = start_thread(query);
    if (error) {
        free(query);
        errno = error;
        return NULL;
    }
    return query;
}

void resolver_forget(struct resolver_query *query)
{
    query->done = NULL;
    if (!query->at)
        return;
    stop_waiting(query);
    free(query);
}
