#include "port/link.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "session/client_dial.h"

/* A little more than box-init takes at most. */
#define DIAL_TIMEOUT_US (8 * G_USEC_PER_SEC)
/* Between two tries while box-init's queue is full. */
#define RETRY_MS 20
#define TICK_MS 500
/* Descriptors of a link, and those of everything else. */
#define FDS_OF_LINK 2
#define FDS_OTHER 128

struct link {
    watch side[2]; /* the client, the box's server */
    watch dial;    /* the request to box-init that is under way */
    struct relay relay;
    int port;
    gint64 deadline; /* of the dialling; 0: it is over */
    void *door;      /* NULL: closed, to be freed */
    link_dialled dialled;
};

static GPtrArray *links; /* owned */
static guint links_max, dialling;
static gboolean any_dead, any_answered;
static char *control_folder;

void links_init(const char *control)
{
    struct rlimit limit = {0};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    rlim_t room = limit.rlim_cur > FDS_OTHER ? (limit.rlim_cur - FDS_OTHER) / FDS_OF_LINK : 16;
    links_max = room < LINKS_MAX ? (guint)room : LINKS_MAX;
    links = g_ptr_array_new_with_free_func(g_free);
    control_folder = g_strdup(control);
}

gboolean links_have_room(void)
{
    return links->len < links_max;
}

static void stop_dialling(link_t *self)
{
    watch_close(&self->dial);
    if (!self->deadline)
        return;
    self->deadline = 0;
    dialling--;
    if (self->door)
        self->dialled(self->door);
}

/* With a reset in place of an orderly end, where the other end must not take it for one. Should the
 * box make a close wait for it, it is its own forwards that wait. */
static void drop(watch *side, gboolean reset)
{
    struct linger how = {.l_onoff = reset};
    if (side->fd >= 0)
        setsockopt(side->fd, SOL_SOCKET, SO_LINGER, &how, sizeof how);
    watch_close(side);
}

static void end(link_t *self, gboolean reset)
{
    if (!self->door)
        return;
    stop_dialling(self);
    drop(&self->side[0], reset);
    drop(&self->side[1], reset);
    relay_clear(&self->relay);
    self->door = NULL;
    any_dead = TRUE;
}

static void side_ready(watch *at)
{
    link_t *self = at->owner;
    enum relay_state state = relay_step(&self->relay, at == &self->side[1]);
    any_answered = any_answered || self->relay.flow[1].any;
    if (state != RELAY_GOES_ON) {
        end(self, state == RELAY_BROKEN);
        return;
    }
    for (int i = 0; i < 2; i++)
        watch_set(&self->side[i], relay_wants(&self->relay, i));
}

static void begin_relay(link_t *self, int server)
{
    int one = 1;
    self->side[1].fd = server;
    self->relay.fd[0] = self->side[0].fd;
    self->relay.fd[1] = server;
    for (int i = 0; i < 2; i++) {
        setsockopt(self->side[i].fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        setsockopt(self->side[i].fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
        watch_set(&self->side[i], relay_wants(&self->relay, i));
    }
}

static void dial_ready(watch *at)
{
    link_t *self = at->owner;
    int server = client_dial_end(at->fd, self->port);
    stop_dialling(self);
    if (server < 0)
        end(self, TRUE);
    else
        begin_relay(self, server);
}

/* FALSE when there is no use in trying again. */
static gboolean dial(link_t *self)
{
    self->dial.fd = client_dial_begin(control_folder, self->port);
    if (self->dial.fd < 0)
        return errno == EAGAIN || errno == EMFILE || errno == ENFILE;
    watch_set(&self->dial, EPOLLIN);
    return TRUE;
}

void link_new(int client, int port, void *door, link_dialled dialled)
{
    link_t *self = g_new0(link_t, 1);
    for (int i = 0; i < 2; i++)
        self->side[i] = (watch){.fd = -1, .ready = side_ready, .owner = self};
    self->side[0].fd = client;
    self->dial = (watch){.fd = -1, .ready = dial_ready, .owner = self};
    self->relay.fd[0] = self->relay.fd[1] = -1;
    self->port = port;
    self->door = door;
    self->dialled = dialled;
    self->deadline = g_get_monotonic_time() + DIAL_TIMEOUT_US;
    dialling++;
    g_ptr_array_add(links, self);
    if (!dial(self))
        end(self, TRUE);
}

void links_close_of(const void *door)
{
    for (guint i = 0; i < links->len; i++) {
        link_t *one = links->pdata[i];
        if (one->door == door)
            end(one, TRUE);
    }
}

gboolean links_were_answered(void)
{
    return any_answered;
}

int links_tick(void)
{
    gint64 now = g_get_monotonic_time();
    int due = -1;
    for (guint i = 0; dialling && i < links->len; i++) {
        link_t *one = links->pdata[i];
        if (!one->deadline)
            continue;
        if (now >= one->deadline || (one->dial.fd < 0 && !dial(one)))
            end(one, TRUE);
        else if (one->dial.fd < 0)
            due = RETRY_MS;
        else if (due < 0)
            due = TICK_MS;
    }
    return due;
}

void links_sweep(void)
{
    for (guint i = 0; any_dead && i < links->len;) {
        if (((link_t *)links->pdata[i])->door)
            i++;
        else
            g_ptr_array_remove_index_fast(links, i);
    }
    any_dead = FALSE;
}
