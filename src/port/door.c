#include "port/door.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "port/link.h"
#include "proto/port_list.h"

#define BACKLOG 128
/* Connections that are taken before others have their turn. */
#define TURN 16

typedef struct {
    watch listener;
    port_mapping *mapping;
    guint dials;     /* under way */
    gboolean paused; /* no room: until doors_resume() */
} door;

static GPtrArray *doors; /* of those that are open */

static void update(door *self)
{
    watch_set(&self->listener, self->paused || self->dials >= PORT_DIALS_MAX ? 0u : EPOLLIN);
}

static void dialled(void *data)
{
    door *self = data;
    self->dials--;
    update(self);
}

/* TRUE when there may be more. */
static gboolean take_one(door *self)
{
    if (!links_have_room()) {
        self->paused = TRUE;
        return FALSE;
    }
    int client = accept4(self->listener.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (client < 0) {
        self->paused = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
        return errno == ECONNABORTED;
    }
    self->dials++;
    link_new(client, self->mapping->box_port, self, dialled);
    return TRUE;
}

static void take(watch *listener)
{
    door *self = listener->owner;
    for (int i = 0; i < TURN && self->dials < PORT_DIALS_MAX && take_one(self); i++)
        ;
    update(self);
}

static int bind_to(const port_mapping *mapping)
{
    int one = 1;
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address = {0};
    gboolean is_v4 = inet_pton(AF_INET, mapping->host_ip, &address.v4.sin_addr) == 1;
    if (!is_v4 && inet_pton(AF_INET6, mapping->host_ip, &address.v6.sin6_addr) != 1) {
        errno = EINVAL;
        return -1;
    }
    address.any.sa_family = is_v4 ? AF_INET : AF_INET6;
    address.v4.sin_port = htons(mapping->host_port); /* at the same place in both */
    int fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (!is_v4)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
    if (bind(fd, &address.any, is_v4 ? sizeof address.v4 : sizeof address.v6) == 0 &&
        listen(fd, BACKLOG) == 0)
        return fd;
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

/* 0 or an errno. */
static int door_open(const port_mapping *mapping)
{
    int fd = bind_to(mapping);
    if (fd < 0)
        return errno;
    door *self = g_new0(door, 1);
    self->listener = (watch){.fd = fd, .ready = take, .owner = self};
    self->mapping = g_memdup2(mapping, sizeof *mapping);
    self->mapping->host_ip = g_strdup(mapping->host_ip);
    g_ptr_array_add(doors, self);
    update(self);
    return 0;
}

/* The watch of a closed door may still be among the events of this turn: it is never freed, which
 * costs a few bytes for each command that closes one. */
static void door_close(door *self)
{
    links_close_of(self);
    watch_close(&self->listener);
    g_clear_pointer(&self->mapping, port_mapping_free);
}

static door *find_open(const port_mapping *like)
{
    for (guint i = 0; i < doors->len; i++) {
        door *one = doors->pdata[i];
        if (port_mapping_same_host_side(one->mapping, like) &&
            one->mapping->box_port == like->box_port)
            return one;
    }
    return NULL;
}

static void close_unwanted(const GPtrArray *wanted)
{
    for (guint i = 0; i < doors->len;) {
        door *one = doors->pdata[i];
        const port_mapping *same = port_list_find(wanted, one->mapping, NULL);
        if (same && same->box_port == one->mapping->box_port) {
            i++;
            continue;
        }
        door_close(one);
        g_ptr_array_remove_index_fast(doors, i);
    }
}

guint doors_apply(const GPtrArray *wanted, GString *answer)
{
    if (!doors)
        doors = g_ptr_array_new();
    close_unwanted(wanted);
    for (guint i = 0; i < wanted->len; i++) {
        const port_mapping *mapping = wanted->pdata[i];
        int error = find_open(mapping) ? 0 : door_open(mapping);
        g_autofree char *text = port_mapping_text(mapping);
        g_string_append_printf(answer, "%s %d\n", text, error);
    }
    return wanted->len;
}

gboolean doors_are_paused(void)
{
    for (guint i = 0; doors && i < doors->len; i++) {
        if (((door *)doors->pdata[i])->paused)
            return TRUE;
    }
    return FALSE;
}

void doors_resume(void)
{
    for (guint i = 0; doors && i < doors->len; i++) {
        door *one = doors->pdata[i];
        if (!one->paused)
            continue;
        one->paused = FALSE;
        update(one);
    }
}
