/* Addresses are dialled as in RFC 8305 ("happy eyeballs"): the first one that answers is taken. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/gate/connection.h"
#include "host/gate/resolver.h"
#include "proto/network_rules.h"
#include "sys/debug.h"

/* Which addresses of a name may be dialled. libc only. */

static bool lacks_room(void)
{
    return errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
}

/* An address of the host can be bound to, and no other. Needs no netlink(7), which a confined
 * process does not have. -1 with errno when nobody knows. */
static int is_own(const struct sockaddr *address)
{
    union resolved_address local = {0};
    int fd = socket(address->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    memcpy(&local, address, resolved_length(address));
    local.v4.sin_port = 0; /* at the same place in both */
    bool own = bind(fd, &local.any, resolved_length(address)) == 0;
    close(fd);
    return own;
}

/* NULL, or why ADDRESS may not be dialled. */
static const char *refuse_address(const struct network_rules *rules, const struct sockaddr *address)
{
    int own = is_own(address);
    bool has_room = own >= 0 || !lacks_room();
    const char *why = network_rules_refuse(rules, address, own > 0);
    if (why || own >= 0 || !network_rules_refuse(rules, address, true))
        return why;
    return has_room ? "this machine has no addresses of its kind"
                    : "this machine has no descriptor or memory left to look at its address";
}

/* Keeps the addresses of FOUND that may be dialled. *WHY: why the last other one may not. */
static void allowed_addresses_keep(const struct network_rules *rules, struct resolved *found,
                                   const char **why)
{
    size_t kept = 0;
    for (size_t i = 0; i < found->count; i++) {
        const struct sockaddr *address = &found->address[i].any;
        const char *refused = refuse_address(rules, address);
        if (refused)
            *why = refused;
        else
            found->address[kept++] = found->address[i];
    }
    found->count = kept;
}

/* For all of it: the name, and a server's answer. */
#define DIAL_MS 30000
/* Before the next address is dialled as well, when none has answered or failed: RFC 8305, 8. */
#define ATTEMPT_MS 250
/* Before the next try when the machine has no descriptor or memory for it. */
#define RETRY_MS 100
/* Addresses that are dialled at a time. One more takes the place of the oldest. */
#define ATTEMPTS_MAX 4

struct dial {
    struct resolver_query *query;
    struct resolved found; /* addresses that may be dialled */
    size_t next;
    struct event_timer turn; /* of the next one */
    struct event_watch attempt[ATTEMPTS_MAX];
};

void connection_stop_dialling(struct connection *self)
{
    struct dial *dial = self->dial;
    if (!dial)
        return;
    if (dial->query)
        resolver_forget(dial->query);
    event_timer_stop(&dial->turn);
    for (size_t i = 0; i < ATTEMPTS_MAX; i++)
        event_watch_close(&dial->attempt[i]);
    free(dial);
    self->dial = NULL;
}

static bool is_waiting(const struct dial *dial)
{
    for (size_t i = 0; i < ATTEMPTS_MAX; i++)
        if (dial->attempt[i].fd >= 0)
            return true;
    return false;
}

/* FALSE with errno. */
static bool begin_attempt(struct event_watch *attempt, const struct sockaddr *address)
{
    event_watch_close(attempt);
    attempt->fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (attempt->fd >= 0 &&
        (connect(attempt->fd, address, resolved_length(address)) == 0 || errno == EINPROGRESS) &&
        event_watch_set(attempt, EPOLLOUT) == 0)
        return true;
    int saved = errno;
    event_watch_close(attempt);
    errno = saved;
    return false;
}

/* Dials the next address that is left. */
static void dial_next(struct connection *self)
{
    struct dial *dial = self->dial;
    event_timer_stop(&dial->turn);
    while (dial->next < dial->found.count) {
        struct event_watch *attempt = &dial->attempt[dial->next % ATTEMPTS_MAX];
        bool has_begun = begin_attempt(attempt, &dial->found.address[dial->next].any);
        if (!has_begun && lacks_room()) {
            event_timer_set(&dial->turn, RETRY_MS);
            return;
        }
        dial->next++;
        if (!has_begun)
            continue;
        if (dial->next < dial->found.count)
            event_timer_set(&dial->turn, ATTEMPT_MS);
        return;
    }
    if (is_waiting(dial))
        return;
    debug_log(DEBUG_GATE, "%s: no server answers", self->target.name);
    connection_end(self, true);
}

static bool leads_to_host(const struct connection *self)
{
    return self->target.rule && self->target.rule->kind == RULE_HOST;
}

static bool has_answered(struct connection *self, int fd)
{
    int error = 0;
    socklen_t length = sizeof error, server = sizeof self->server;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && !error &&
           (leads_to_host(self) || getpeername(fd, &self->server.any, &server) == 0);
}

static void attempt_ready(struct event_watch *attempt, uint32_t events)
{
    struct connection *self = attempt->owner;
    if (!has_answered(self, attempt->fd)) {
        event_watch_close(attempt);
        dial_next(self);
        return;
    }
    event_watch_set(attempt, 0);
    self->line.side[SERVER].fd = attempt->fd;
    attempt->fd = -1;
    connection_stop_dialling(self);
    event_timer_stop(&self->timer);
    connection_relay(self);
}

static void next_turn(struct event_timer *turn)
{
    dial_next(turn->owner);
}

static void dial(struct connection *self, const struct resolved *found)
{
    self->dial->found = *found;
    resolved_interleave(&self->dial->found);
    dial_next(self);
}

static void dial_allowed(struct connection *self, struct resolved *found)
{
    const char *why = "its name has no address";
    allowed_addresses_keep(self->rules, found, &why);
    if (found->count > 0)
        dial(self, found);
    else
        connection_refuse(self, why);
}

static void resolved(void *owner, const struct resolved *result, int line)
{
    struct connection *self = owner;
    struct resolved found = *result;
    self->dial->query = NULL;
    dial_allowed(self, &found);
}

static void add_address(struct resolved *list, const struct in6_addr *address, uint16_t port)
{
    if (network_address_is_v4(address))
        list->address[list->count++].v4 =
            (struct sockaddr_in){.sin_family = AF_INET,
                                 .sin_port = htons(port),
                                 .sin_addr = {htonl(network_address_to_v4(address))}};
    else
        list->address[list->count++].v6 = (struct sockaddr_in6){
            .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = *address};
}

static void dial_loopback(struct connection *self)
{
    struct resolved found = {0};
    const struct in6_addr v4 = network_address_v4(INADDR_LOOPBACK), v6 = IN6ADDR_LOOPBACK_INIT;
    add_address(&found, &v4, self->target.port);
    add_address(&found, &v6, self->target.port);
    dial(self, &found);
}

static void dial_name(struct connection *self)
{
    const struct target *to = &self->target;
    self->dial->query = to->has_secret ? resolver_begin(to->server, to->server_port, resolved, self)
                                       : resolver_begin(to->name, to->port, resolved, self);
    if (!self->dial->query)
        connection_refuse(self, "this machine has no room to resolve its name");
}

static void dial_address(struct connection *self)
{
    struct resolved found = {0};
    add_address(&found, &self->target.address, self->target.port);
    dial_allowed(self, &found);
}

static void dial_late(struct event_timer *timer)
{
    connection_refuse(timer->owner, "it takes too long");
}

static struct dial *dial_new(struct connection *self)
{
    struct dial *dial = calloc(1, sizeof *dial);
    if (!dial)
        return NULL;
    dial->turn = (struct event_timer){.expired = next_turn, .owner = self};
    for (size_t i = 0; i < ATTEMPTS_MAX; i++)
        dial->attempt[i] = (struct event_watch){.fd = -1, .ready = attempt_ready, .owner = self};
    return dial;
}

void connection_dial(struct connection *self)
{
    event_watch_set(&self->line.side[BOX], 0);
    self->timer.expired = dial_late;
    event_timer_set(&self->timer, DIAL_MS);
    self->dial = dial_new(self);
    if (!self->dial)
        connection_end(self, true);
    else if (leads_to_host(self))
        dial_loopback(self);
    else if (self->target.name[0])
        dial_name(self);
    else
        dial_address(self);
}

/* One that is being dialled is refused as a whole: its program tries again, by the new rules. */
const char *connection_refuse_server(const struct connection *self)
{
    const char *why = NULL;
    const struct sockaddr *server = &self->server.any;
    if (leads_to_host(self))
        return NULL;
    if (server->sa_family != AF_UNSPEC)
        return refuse_address(self->rules, server);
    for (size_t i = 0; self->dial && !why && i < self->dial->found.count; i++) {
        const struct sockaddr *address = &self->dial->found.address[i].any;
        why = refuse_address(self->rules, address);
    }
    return why;
}
