#include "host/gate/program_names.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "host/gate/socket_diag.h"
#include "net/token_bucket.h"
#include "proto/network_address.h"
#include "sys/clock.h"

static struct event_watch finder_watch = {.fd = -1};
static int kernel = -1;
static struct program_wait *waiting;
static uint64_t last_wait;
static struct token_bucket finder_limit = {.burst = PROGRAM_BURST, .refill_ms = PROGRAM_REFILL_MS};

void program_names_forget(struct program_wait *self)
{
    if (!self->at)
        return;
    *self->at = self->next;
    if (self->next)
        self->next->at = self->at;
    self->at = NULL;
}

static void tell_program(struct program_wait *self, const char *name)
{
    program_names_forget(self);
    program_name_clean(name, (int)strnlen(name, NETWORK_PROGRAM_SIZE), self->name);
    if (self->answered)
        self->answered(self);
}

/* The finder has ended: it does not come back, as this process could not start it. */
static void give_up(void)
{
    event_watch_close(&finder_watch);
    while (waiting)
        tell_program(waiting, "");
}

static void finder_answered(struct event_watch *watch, uint32_t events)
{
    struct program_answer answer;
    ssize_t got = recv(watch->fd, &answer, sizeof answer, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got != sizeof answer) {
        give_up();
        return;
    }
    for (struct program_wait *each = waiting; each; each = each->next)
        if (each->number == answer.number) {
            tell_program(each, answer.name);
            return;
        }
}

void program_names_start(int diag, int from)
{
    kernel = diag;
    finder_watch = (struct event_watch){.fd = from, .ready = finder_answered};
    event_watch_set(&finder_watch, EPOLLIN);
}

/* What GET_NAME, getpeername(2) or getsockname(2), says of CONNECTION. */
static bool peer_addresses(int connection,
                           int (*get_name)(int, struct sockaddr *restrict, socklen_t *restrict),
                           struct sockaddr_in6 *address)
{
    /* Or the shorter one of IPv4, with the port at the same place. */
    struct sockaddr_in6 found = {0};
    socklen_t length = sizeof found;
    *address = (struct sockaddr_in6){.sin6_family = AF_INET6};
    if (get_name(connection, (struct sockaddr *)&found, &length) < 0 ||
        !network_address_of((struct sockaddr *)&found, &address->sin6_addr))
        return false;
    address->sin6_port = found.sin6_port;
    return true;
}

static uint32_t inode_of(int connection, const struct sockaddr_in6 *destination)
{
    struct sockaddr_in6 from;
    return peer_addresses(connection, getpeername, &from)
               ? socket_diag_inode(kernel, &from, destination)
               : 0;
}

/* Our own end shows that the kernel has such tables. */
bool program_names_has_none(int connection, const struct sockaddr_in6 *destination)
{
    struct sockaddr_in6 own, peer;
    return kernel >= 0 && peer_addresses(connection, getsockname, &own) &&
           peer_addresses(connection, getpeername, &peer) &&
           socket_diag_inode(kernel, &own, &peer) != 0 &&
           socket_diag_inode(kernel, &peer, destination) == 0;
}

void program_names_ask(struct program_wait *self, int connection,
                       const struct sockaddr_in6 *destination)
{
    struct program_query query = {.number = ++last_wait};
    if (finder_watch.fd < 0 || kernel < 0 || !token_bucket_take(&finder_limit, clock_ms()))
        return;
    query.inode = inode_of(connection, destination);
    if (!query.inode ||
        send(finder_watch.fd, &query, sizeof query, MSG_DONTWAIT | MSG_NOSIGNAL) != sizeof query)
        return;
    self->number = query.number;
    self->next = waiting;
    self->at = &waiting;
    if (waiting)
        waiting->at = &self->next;
    waiting = self;
}
