#include "net/event_relay.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>

/* Where RLIMIT_NOFILE leaves no room. */
#define LEAST 16

void event_relay_init(struct event_relay *self)
{
    *self = (struct event_relay){.side = {{.fd = -1}, {.fd = -1}}};
    stream_relay_init(&self->relay, PUMP_SOCKETS, -1, -1);
}

static void reset_at_close(int fd, bool reset)
{
    const struct linger how = {.l_onoff = reset};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &how, sizeof how);
}

static void side_ready(struct event_watch *side, uint32_t events)
{
    struct event_relay *self = side->owner;
    enum stream_relay_state state = stream_relay_step(&self->relay, side == &self->side[1]);
    if (self->moved)
        self->moved(self);
    if (state != STREAM_RELAY_OPEN) {
        self->ended(self, state == STREAM_RELAY_BROKEN);
        return;
    }
    for (int i = 0; i < 2; i++)
        event_watch_set(&self->side[i], stream_relay_events(&self->relay, i));
}

void event_relay_start(struct event_relay *self)
{
    int one = 1;
    stream_relay_init(&self->relay, PUMP_SOCKETS, self->side[0].fd, self->side[1].fd);
    for (int i = 0; i < 2; i++) {
        setsockopt(self->side[i].fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        setsockopt(self->side[i].fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
        /* When this process is killed. */
        reset_at_close(self->side[i].fd, true);
        self->side[i].ready = side_ready;
        self->side[i].owner = self;
        event_watch_set(&self->side[i], stream_relay_events(&self->relay, i));
    }
}

void event_relay_close(struct event_relay *self, bool reset)
{
    for (int i = 0; i < 2; i++) {
        if (self->side[i].fd >= 0)
            reset_at_close(self->side[i].fd, reset);
        event_watch_close(&self->side[i]);
    }
    stream_relay_clear(&self->relay);
}

unsigned event_relay_limit(unsigned others, unsigned most)
{
    struct rlimit limit = {0};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    rlim_t room = limit.rlim_cur > others ? (limit.rlim_cur - others) / 2 : LEAST;
    return room < most ? (unsigned)room : most;
}
